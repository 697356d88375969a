//! Claims grouped by the source that they cite: one call for each group.

/// Where a judgement goes: position of the claim, and of the source in the claim's judgement.
pub(crate) type Slot = (usize, usize);

/// A claim and a source that the model is to be asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Where the judgement goes.
    pub(crate) slot: Slot,
    /// The words of the claim.
    pub(crate) claim: String,
    /// The id of the source.
    pub(crate) source: String,
}

/// Pairs that wait for others with the same source.
#[derive(Debug)]
struct Group {
    pairs: Vec<Pair>,
    bytes: usize,
    /// How many claims had closed when the last pair came.
    last: usize,
}

/// Groups that are still open.
#[derive(Debug)]
pub(crate) struct Groups {
    open: Vec<Group>,
    max_claims: usize,
    max_bytes: usize,
    patience: usize,
    closed: usize,
}

impl Groups {
    /// Groups of at most so many claims and bytes of claims, that wait for at most `patience` claims that cite others.
    pub(crate) fn new(max_claims: usize, max_bytes: usize, patience: usize) -> Self {
        Groups { open: Vec::new(), max_claims: max_claims.max(1), max_bytes, patience, closed: 0 }
    }

    /// Takes a pair; returns a group that is full now, with or without it.
    pub(crate) fn add(&mut self, pair: Pair) -> Option<Vec<Pair>> {
        let (bytes, last) = (pair.claim.len(), self.closed);
        let Some(index) = self.open.iter().position(|group| group.pairs[0].source == pair.source) else {
            if self.max_claims == 1 {
                return Some(vec![pair]);
            }
            self.open.push(Group { pairs: vec![pair], bytes, last });
            return None;
        };
        let group = &mut self.open[index];
        if group.bytes + bytes > self.max_bytes {
            let full = std::mem::replace(group, Group { pairs: vec![pair], bytes, last });
            return Some(full.pairs);
        }
        group.pairs.push(pair);
        group.bytes += bytes;
        group.last = last;
        let full = group.pairs.len() >= self.max_claims;
        full.then(|| self.open.remove(index).pairs)
    }

    /// A claim has closed, whatever it cites; returns the groups that the answer has left behind.
    pub(crate) fn claim_closed(&mut self) -> Vec<Vec<Pair>> {
        self.closed += 1;
        let (closed, patience) = (self.closed, self.patience);
        self.open.extract_if(.., |group| closed - group.last > patience).map(|group| group.pairs).collect()
    }

    /// All groups that are open.
    pub(crate) fn rest(&mut self) -> Vec<Vec<Pair>> {
        self.open.drain(..).map(|group| group.pairs).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(claim: usize, source: &str) -> Pair {
        Pair { slot: (claim, 0), claim: "ten bytes!".into(), source: source.into() }
    }

    fn slots(groups: impl IntoIterator<Item = Vec<Pair>>) -> Vec<Vec<usize>> {
        groups.into_iter().map(|pairs| pairs.iter().map(|pair| pair.slot.0).collect()).collect()
    }

    #[test]
    fn by_source_and_split_when_full() {
        let mut groups = Groups::new(3, 1000, 100);
        let full: Vec<_> =
            (0..10).filter_map(|claim| groups.add(pair(claim, if claim % 2 == 0 { "a" } else { "b" }))).collect();
        assert_eq!(slots(full), [vec![0, 2, 4], vec![1, 3, 5]]);
        assert_eq!(slots(groups.rest()), [vec![6, 8], vec![7, 9]]);
        assert!(groups.rest().is_empty());
        let mut groups = Groups::new(100, 25, 100);
        let full: Vec<_> = (0..5).filter_map(|claim| groups.add(pair(claim, "a"))).collect();
        assert_eq!(slots(full), [vec![0, 1], vec![2, 3]]);
        assert_eq!(slots(Groups::new(1, 25, 0).add(pair(7, "a"))), [vec![7]]);
    }

    #[test]
    fn the_answer_moves_on() {
        let mut groups = Groups::new(8, 1000, 2);
        groups.add(pair(0, "a"));
        assert!(groups.claim_closed().is_empty());
        groups.add(pair(1, "b"));
        assert!(groups.claim_closed().is_empty());
        assert_eq!(slots(groups.claim_closed()), [[0]]);
        assert_eq!(slots(groups.rest()), [[1]]);
    }
}
