// Applies theme and language before first paint. A separate file, because the CSP forbids inline scripts.
(function () {
  var root = document.documentElement;
  try {
    var theme = localStorage.getItem("recollect.theme");
    var language = localStorage.getItem("recollect.language") || navigator.language || "en";
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    root.lang = language.slice(0, 2).toLowerCase() === "pt" ? "pt-BR" : "en";
  } catch (e) {
    // Storage is not available: use the system theme.
  }
})();
