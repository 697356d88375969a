"use strict";
(() => {
  const places = new Map();
  for (const element of document.querySelectorAll("[data-q]")) {
    for (const n of element.dataset.q.split(" ")) {
      if (!places.has(n)) places.set(n, []);
      places.get(n).push(element);
    }
  }
  const quoteAt = (target) => (target instanceof Element ? target.closest("[data-q]") : null);
  let shown = [];
  const show = (element) => {
    for (const other of shown) other.classList.remove("on");
    shown = element ? element.dataset.q.split(" ").flatMap((n) => places.get(n)) : [];
    for (const other of shown) other.classList.add("on");
  };
  // Side by side, the other column comes along; one below the other, the page stays where the reader is.
  const columns = matchMedia("(min-width: 60rem)");
  const bring = (element) => {
    const column = element.closest("main > section");
    if (!columns.matches || !column) return;
    const other = shown.find((place) => place.closest("main > section") && place.closest("main > section") !== column);
    const pane = other && other.closest("main > section");
    if (!pane) return;
    const [box, frame] = [other.getBoundingClientRect(), pane.getBoundingClientRect()];
    if (box.top < frame.top || box.bottom > frame.bottom) {
      pane.scrollTop += box.top - frame.top - frame.height / 3;
    }
  };
  document.addEventListener("mouseover", (event) => show(quoteAt(event.target) || quoteAt(document.activeElement)));
  document.addEventListener("focusin", (event) => {
    const element = quoteAt(event.target);
    show(element);
    if (element) bring(element);
  });
  document.addEventListener("focusout", () => show(null));
})();
