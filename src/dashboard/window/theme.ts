/** A separate script that runs before the first paint and sets the stored theme; by default the system's. */
const stored = localStorage.getItem('aglet.theme')
if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored
