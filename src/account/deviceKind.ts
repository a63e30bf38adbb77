/** The first that a user agent names, in this order: each browser below also names some of those after it. */
const browsers: readonly (readonly [name: string, ...signs: string[]])[] = [
  ['Edge', 'Edg/', 'EdgA/', 'EdgiOS/', 'Edge/'],
  ['Opera', 'OPR/', 'OPT/'],
  ['Samsung Internet', 'SamsungBrowser/'],
  ['Firefox', 'Firefox/', 'FxiOS/'],
  ['Chrome', 'Chrome/', 'CriOS/'],
  ['Safari', 'Safari/'],
]
const systems: typeof browsers = [
  ['Android', 'Android'],
  ['iOS', 'iPhone', 'iPad', 'iPod'],
  ['ChromeOS', 'CrOS'],
  ['Windows', 'Windows'],
  ['macOS', 'Macintosh'],
  ['Linux', 'Linux'],
]
const maxLength = 500

/** The kind of a browser and its system, as it says of itself, or `other`. Everything else of the text is left out. */
export function deviceKind(userAgent = ''): { browser: string; system: string } {
  const text = userAgent.slice(0, maxLength)
  const first = (of: typeof browsers) => of.find(([, ...signs]) => signs.some((sign) => text.includes(sign)))?.[0]
  return { browser: first(browsers) ?? 'other', system: first(systems) ?? 'other' }
}
