// Before the first paint, so that nothing flashes. A file of its own: the page allows no script inside it.
(function () {
  var root = document.documentElement;
  try {
    var theme = localStorage.getItem("recollect.theme");
    var language = localStorage.getItem("recollect.language") || navigator.language || "en";
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    root.lang = language.slice(0, 2).toLowerCase() === "pt" ? "pt-BR" : "en";
  } catch (e) {
    // A browser that keeps nothing shows the system's theme.
  }
})();
