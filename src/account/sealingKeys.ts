import type { KeyObject } from 'node:crypto'
import type { SealingKey } from '#contract/me.ts'

/** The key pairs of one environment that secret entries are sealed for. */
export type SealingKeys = {
  /** What callers should seal with. */
  active(): SealingKey
  /** What GET /jwks.json shows: the active and the next key. */
  published(): SealingKey[]
  /** The private half; undefined for a kid that is unknown or retired. */
  privateKey(kid: string): KeyObject | undefined
}
