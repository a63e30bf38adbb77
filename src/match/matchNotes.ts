import { randomInt } from 'node:crypto'
import type { TagEvent } from '#contract/event.ts'
import type { Identity } from '#provider/engine/identity.ts'
import type { CapturedValues } from '#provider/form/request.ts'

/** The values of a person that are checked. */
export const personChecks = ['email', 'phone', 'firstName', 'lastName', 'customerId', 'ip', 'userAgent'] as const
export type PersonCheck = (typeof personChecks)[number]

/** The check results of an event and its person, so that each check runs once for all channels. */
export class MatchNotes {
  #event: TagEvent | undefined
  #eventBits = 0
  #identity: Identity | undefined
  #personBits: (number | undefined)[] = []
  #hashes: number[] = []
  #hashKey = 0
  #captured: CapturedValues | undefined
  #hasAppIds = false

  eventBits(event: TagEvent, find: (event: TagEvent) => number): number {
    if (this.#event === event) return this.#eventBits
    this.#event = event
    this.#eventBits = find(event)
    return this.#eventBits
  }

  /**
   * Whether there may be an app id. The result is cached for one set of captured values: a channel may use those of
   * another person.
   */
  hasAppIds(captured: CapturedValues, find: () => boolean): boolean {
    if (this.#captured === captured) return this.#hasAppIds
    this.#captured = captured
    this.#hasAppIds = find()
    return this.#hasAppIds
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

  /** The keyed hash of a value of the person. `slot`: the index of the value. */
  hash(slot: number, text: string, key: number): number {
    if (this.#hashKey !== key) {
      this.#hashKey = key
      this.#hashes = [none, none, none, none, none, none]
    }
    const known = this.#hashes[slot]!
    if (known !== none) return known
    const hash = keyedHash(text, key)
    this.#hashes[slot] = hash
    return hash
  }
}

/** No hash has this value. */
const none = -1

/** A keyed hash of 31 bits (FNV-1a), which V8 keeps without an object. The key is random and is thrown away. */
function keyedHash(text: string, key: number): number {
  let hash = key | 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d) >>> 1
}

export const randomKey = (): number => randomInt(1, 2 ** 32)
