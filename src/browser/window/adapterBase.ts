import { installAdapters } from '../adapters/installAdapters.ts'

/** Settings of the tag, which the edge sets; empty in a build that knows no tag. */
declare const AGLET_PRIMARY: string
declare const AGLET_PASS_EVENT_ID: string

/** A server that renders the page imports this file too. */
if (typeof window !== 'undefined')
  installAdapters({
    site: window as unknown as Record<string, unknown>,
    now: Date.now,
    randomId: () => crypto.getRandomValues(new BigUint64Array(2)).join('_'),
    warn: (sentence) => console.warn(`aglet: ${sentence}`),
    primary: AGLET_PRIMARY,
    passEventId: AGLET_PASS_EVENT_ID,
  })
