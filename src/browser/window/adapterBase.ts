import { installAdapters } from '../adapters/installAdapters.ts'

/** The tag's settings, set by the edge; empty in a build without a tag. */
declare const AGLET_PRIMARY: string
declare const AGLET_PASS_EVENT_ID: string

/** Server-side rendering also imports this file. */
if (typeof window !== 'undefined')
  installAdapters({
    site: window as unknown as Record<string, unknown>,
    now: Date.now,
    randomId: () => crypto.getRandomValues(new BigUint64Array(2)).join('_'),
    warn: (sentence) => console.warn(`aglet: ${sentence}`),
    primary: AGLET_PRIMARY,
    passEventId: AGLET_PASS_EVENT_ID,
  })
