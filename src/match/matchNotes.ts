import { randomInt } from 'node:crypto'
import type { TagEvent } from '#contract/event.ts'
import type { Identity } from '#provider/engine/identity.ts'

/** The values of a person that are checked. */
export const personChecks = ['email', 'phone', 'firstName', 'lastName', 'customerId', 'ip', 'userAgent'] as const
export type PersonCheck = (typeof personChecks)[number]

/** What was found of one event and its person, so that it is looked for once for all channels. */
export class MatchNotes {
  #event: TagEvent | undefined
  #eventBits = 0
  #identity: Identity | undefined
  #personBits: (number | undefined)[] = []
  #hashes: (number | undefined)[] = []
  #hashKey = 0

  eventBits(event: TagEvent, find: (event: TagEvent) => number): number {
    if (this.#event === event) return this.#eventBits
    this.#event = event
    this.#eventBits = find(event)
    return this.#eventBits
  }

  personBits(check: number, identity: Identity): number | undefined {
    if (this.#identity === identity) return this.#personBits[check]
    this.#identity = identity
    this.#personBits = [undefined, undefined, undefined, undefined, undefined, undefined, undefined]
    this.#hashKey = 0
    return undefined
  }
  setPersonBits(check: number, bits: number): void {
    this.#personBits[check] = bits
  }

  /** The keyed hash of a value of the person; `slot` says which. */
  hash(slot: number, text: string, key: number): number {
    if (this.#hashKey !== key) {
      this.#hashKey = key
      this.#hashes = [undefined, undefined, undefined, undefined, undefined, undefined]
    }
    const hash = this.#hashes[slot] ?? keyedHash(text, key)
    this.#hashes[slot] = hash
    return hash
  }
}

/** A keyed hash of 32 bits (FNV-1a). The key is random and is thrown away. */
function keyedHash(text: string, key: number): number {
  let hash = key | 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d) >>> 0
}

export const randomKey = (): number => randomInt(1, 2 ** 32)
