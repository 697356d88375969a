//! What a model says about claims (rules, section 7), as serde types, and what that does to a verdict.
//!
//! Who asks, and what, is not known here: the crate `citesieve-judge` does.

use serde::{Deserialize, Serialize};

use crate::policy::UnsupportedClaims;
use crate::{ClaimKind, Status, StatusReason, Support, Verdict};

/// A claim that is complete, while the answer goes on: see [`crate::Sieve::closed_claims`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedClaim {
    /// Its position in [`Verdict::claims`].
    pub position: usize,
    /// What it is.
    pub kind: ClaimKind,
    /// Its words as the model wrote them, without markers, with one space for any number of them.
    pub text: String,
    /// The ids of the sources that it cites: only such as there are.
    pub cited: Vec<String>,
    /// What strings say about its support.
    pub support: Support,
    /// It stands in a block quotation that no source has, and that was demoted to prose.
    pub demoted: bool,
}

/// What a model says about a claim and a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// The source says all of it, in full strength.
    Supports,
    /// The source says a part of it, or says it with less strength.
    Partial,
    /// The source does not say it. Also what an answer counts for that cannot be read, a time-out or an error, with
    /// confidence 0.
    Unrelated,
    /// The source says something that cannot be true if it is.
    Contradicts,
    /// No answer by the deadline, or no budget to ask. Never support.
    Unjudged,
}

impl Ruling {
    /// Whether it is support, of all or of a part.
    pub fn is_support(self) -> bool {
        matches!(self, Ruling::Supports | Ruling::Partial)
    }

    /// Whether it says that the source does not say so. Not having been heard is neither support nor failure.
    pub fn is_failure(self) -> bool {
        matches!(self, Ruling::Unrelated | Ruling::Contradicts)
    }
}

/// Whether a model was to be asked about a claim and a source, and why, or what decided without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Asked: nothing of the source comes near the claim that cites it.
    CitesUnmatched,
    /// Asked: it holds a digit.
    Digit,
    /// Asked: it is neither nearly the words of the source nor clearly something else.
    Between,
    /// Not asked: the source has its very words. Support.
    Verbatim,
    /// Not asked: the source has nearly its words, and it holds no digit. Support.
    NearVerbatim,
    /// Not asked: nothing of the source comes near it, and the options say that this is enough. No support.
    ClearlyUnsupported,
}

impl Decision {
    /// Whether a model was to be asked.
    pub fn is_asked(self) -> bool {
        matches!(self, Decision::CitesUnmatched | Decision::Digit | Decision::Between)
    }

    /// Whether words alone decide that the source supports the claim.
    pub fn words_support(self) -> bool {
        matches!(self, Decision::Verbatim | Decision::NearVerbatim)
    }
}

/// The judgement of a claim by all the sources that it cites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judgement {
    /// The ruling on the claim: `contradicts` if one source contradicts it, else the best that one of them says;
    /// `unjudged` only if none supports it and one was not heard.
    pub ruling: Ruling,
    /// What each of the sources says, in the order in which the claim cites them.
    pub sources: Vec<SourceJudgement>,
}

/// The judgement of a claim by one source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceJudgement {
    /// The id of the source.
    pub source: String,
    /// Whether a model was to be asked, and why.
    pub decision: Decision,
    /// How near the claim comes to the words of the source, 0 to 1.
    pub similarity: f64,
    /// The ruling.
    pub ruling: Ruling,
    /// How sure the model says it is, 0 to 1; 0 if it was not heard or not understood, 1 if it was not asked.
    pub confidence: f64,
    /// Why, in the model's words, or in ours if it was not heard or not understood.
    pub reason: String,
    /// The name of the model; empty if it was not asked.
    pub model: String,
    /// The version of the prompt; empty if the model was not asked.
    pub prompt_version: String,
    /// Whether an earlier answer to the same question was taken.
    pub cached: bool,
    /// What the call cost that brought it, if there was one.
    pub call: Option<CallCost>,
}

/// What one call of a model cost. It may have been about several claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallCost {
    /// How many claims it was about.
    pub claims: u64,
    /// How long it took, retries included, in milliseconds.
    pub latency_ms: u64,
    /// Tokens of the prompt, if the model says.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, if the model says.
    pub output_tokens: Option<u64>,
}

impl Judgement {
    /// Puts together what the sources say.
    pub fn new(sources: Vec<SourceJudgement>) -> Self {
        let says = |ruling: Ruling| sources.iter().any(|one| one.ruling == ruling);
        let order = [Ruling::Contradicts, Ruling::Supports, Ruling::Partial, Ruling::Unjudged];
        let ruling = order.into_iter().find(|ruling| says(*ruling)).unwrap_or(Ruling::Unrelated);
        Judgement { ruling, sources }
    }
}

impl Verdict {
    /// Puts judgements on claims, by their position in [`Verdict::claims`], and draws the consequences: a claim that only
    /// cites is `judged`, `unsupported` or `unjudged` now, and the status follows as the policy says. Positions that are
    /// not in the list are passed over.
    pub fn judge(
        &mut self,
        judgements: impl IntoIterator<Item = (usize, Judgement)>,
        unsupported_claims: UnsupportedClaims,
    ) {
        for (position, judgement) in judgements {
            let Some(claim) = self.claims.get_mut(position) else { continue };
            if matches!(claim.support, Support::Cited | Support::Judged | Support::Unjudged | Support::Unsupported) {
                claim.support = match judgement.ruling {
                    Ruling::Supports | Ruling::Partial => Support::Judged,
                    Ruling::Unrelated | Ruling::Contradicts => Support::Unsupported,
                    Ruling::Unjudged => Support::Unjudged,
                };
            }
            claim.judgement = Some(judgement);
        }
        // What was left out of the text downgrades nothing.
        let has = |support: Support| self.claims.iter().any(|claim| claim.support == support && !claim.is_left_out());
        let downgrades = has(Support::Unsupported)
            && match unsupported_claims {
                UnsupportedClaims::Report => false,
                UnsupportedClaims::NoneLeft => {
                    let supported = [Support::Quoted, Support::Judged, Support::Cited].into_iter().any(has);
                    !supported && self.score.verified == 0
                }
                UnsupportedClaims::Downgrade => true,
            };
        let stands = matches!(self.status, Status::Answered | Status::Downgraded);
        if downgrades && stands && !self.reasons.contains(&StatusReason::UnsupportedClaim) {
            self.status = Status::Downgraded;
            self.reasons.push(StatusReason::UnsupportedClaim);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClaimFinding;

    fn by(source: &str, ruling: Ruling) -> SourceJudgement {
        SourceJudgement {
            source: source.into(),
            decision: Decision::Between,
            similarity: 0.4,
            ruling,
            confidence: 0.9,
            reason: String::new(),
            model: "m".into(),
            prompt_version: "1".into(),
            cached: false,
            call: None,
        }
    }

    #[test]
    fn one_source_is_enough_unless_another_contradicts() {
        use Ruling::{Contradicts, Partial, Supports, Unjudged, Unrelated};
        for (rulings, whole) in [
            (&[Supports, Unrelated][..], Supports),
            (&[Unrelated, Partial], Partial),
            (&[Supports, Contradicts], Contradicts),
            (&[Unjudged, Unrelated], Unjudged),
            (&[Unjudged, Supports], Supports),
            (&[Unrelated], Unrelated),
        ] {
            let judgement = Judgement::new(rulings.iter().map(|ruling| by("1", *ruling)).collect());
            assert_eq!(judgement.ruling, whole, "{rulings:?}");
        }
    }

    fn verdict(supports: &[Support]) -> Verdict {
        let claim = |support: &Support| ClaimFinding {
            kind: ClaimKind::Sentence,
            before: Default::default(),
            after: Default::default(),
            support: *support,
            cited: vec!["1".into()],
            quotes: Vec::new(),
            judgement: None,
        };
        Verdict { status: Status::Answered, claims: supports.iter().map(claim).collect(), ..Verdict::default() }
    }

    #[test]
    fn the_policy_says_whether_it_downgrades() {
        use UnsupportedClaims::{Downgrade, NoneLeft, Report};
        for (policy, others, status) in [
            (Report, &[][..], Status::Answered),
            (Downgrade, &[Support::Quoted], Status::Downgraded),
            (NoneLeft, &[Support::Quoted], Status::Answered),
            (NoneLeft, &[Support::Cited], Status::Answered),
            (NoneLeft, &[], Status::Downgraded),
            (NoneLeft, &[Support::Unjudged], Status::Downgraded),
        ] {
            let mut supports = vec![Support::Cited];
            supports.extend(others);
            let mut verdict = verdict(&supports);
            verdict.judge([(0, Judgement::new(vec![by("1", Ruling::Contradicts)]))], policy);
            assert_eq!((verdict.status, verdict.claims[0].support), (status, Support::Unsupported), "{policy:?}");
            // Twice is the same.
            let once = verdict.clone();
            verdict.judge([(0, Judgement::new(vec![by("1", Ruling::Contradicts)]))], policy);
            assert_eq!(verdict, once);
        }
    }

    #[test]
    fn what_strings_found_stays() {
        let mut verdict = verdict(&[Support::Failed, Support::Cited]);
        let judgement = |ruling| Judgement::new(vec![by("1", ruling)]);
        verdict.judge(
            [(0, judgement(Ruling::Supports)), (1, judgement(Ruling::Unjudged)), (9, judgement(Ruling::Partial))],
            UnsupportedClaims::Downgrade,
        );
        assert_eq!(verdict.claims[0].support, Support::Failed);
        assert_eq!(verdict.claims[1].support, Support::Unjudged);
        assert_eq!(verdict.status, Status::Answered, "not heard is not judged unsupported");
    }
}
