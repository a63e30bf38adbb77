/** The pages of the manual by the reader's job, in reading order. */
export const manualJobs: readonly (readonly [job: string, paths: readonly string[]])[] = [
  ['Start', ['walk-through', 'walk-through-channel', 'deploy', 'dashboard', 'sdk', 'first-party', 'same-origin']],
  [
    'Move in',
    ['moving-from-gtm', 'moving-from-zaraz', 'moving-from-segment', 'moving-from-rudderstack', 'page-adapters'],
  ],
  [
    'Send events',
    [
      'events',
      'sources',
      'shopify',
      'shops',
      'mobile',
      'identity',
      'sessions',
      'consent',
      'consent-fields',
      'consent-proof',
      'plugins',
      'event-journey',
    ],
  ],
  [
    'Connect channels',
    ['providers', 'rules', 'webhook', 'playground', 'event-sink', 'secret-entries', 'vendors', 'conformance'],
  ],
  ['Find out and mend', ['journal', 'orders', 'match-quality', 'incidents', 'replay', 'alerts', 'errors', 'logs']],
  [
    'Publish and govern',
    [
      'tags-and-deployments',
      'preview-link',
      'config-as-code',
      'commands',
      'accounts',
      'accounts-reference',
      'security',
      'threat-model',
      'privacy',
    ],
  ],
  [
    'Operate a server',
    [
      'operating',
      'sizes',
      'limits',
      'mail',
      'backup',
      'upgrading',
      'releases',
      'scale',
      'scale-reference',
      'capacity',
      'guarantees',
      'guarantees-many-machines',
      'fault-runs',
      'performance',
      'performance-features',
      'performance-postgresql',
    ],
  ],
  ['Work on the code', ['architecture', 'script-journey', 'glossary', 'performance-changes', 'dependencies']],
]

/** A page for the search: its title, and its text split into parts with anchors. */
export type SearchedPage = {
  path: string
  title: string
  parts: readonly { anchor: string; title: string; text: string }[]
}
export type Found = { path: string; title: string; excerpt: string; score: number }

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
const plain = (html: string) =>
  html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
    .replace(/\s+/g, ' ')
    .trim()

/** Splits a page at its headings. */
export function toSearchedPage(path: string, title: string, html: string): SearchedPage {
  const parts = html.split(/(?=<h[2-4] id=")/).map((part) => {
    const [, anchor = '', heading = ''] = /^<h[2-4] id="([^"]*)">([^\n]*)<\/h[2-4]>/.exec(part) ?? []
    return { anchor, title: plain(heading), text: plain(part) }
  })
  return { path, title, parts }
}

const mostWords = 8
const mostFound = 30
const around = 90

/** The text around the first occurrence of a word. */
function excerptOf(text: string, word: string): string {
  const at = Math.max(text.toLowerCase().indexOf(word), 0)
  const [from, to] = [Math.max(at - around, 0), at + word.length + around]
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
}

/** The parts that contain all words; matches in a heading come first. */
export function searchManual(pages: readonly SearchedPage[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, mostWords)
  if (words.length === 0) return []
  const found = pages.flatMap(({ path, title, parts }) =>
    parts.flatMap((part): Found[] => {
      const heading = `${title} ${part.title}`.toLowerCase()
      const text = part.text.toLowerCase()
      if (!words.every((word) => heading.includes(word) || text.includes(word))) return []
      const score = words.filter((word) => heading.includes(word)).length
      const name = part.title ? `${title}: ${part.title}` : title
      const address = part.anchor ? `${path}#${part.anchor}` : path
      return [{ path: address, title: name, excerpt: excerptOf(part.text, words[0]!), score }]
    }),
  )
  return found.sort((one, other) => other.score - one.score).slice(0, mostFound)
}
