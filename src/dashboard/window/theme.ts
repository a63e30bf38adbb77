/** Runs before the first paint, as a script of its own: sets the stored theme. Without one, the system's is used. */
const stored = localStorage.getItem('aglet.theme')
if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored
