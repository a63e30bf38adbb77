import { inspect } from 'node:util'

/** A plaintext that must not be seen: it prints, serialises and interpolates as `•••`. Only `open()` shows it. */
export class Secret {
  readonly #plaintext: string
  constructor(plaintext: string) {
    this.#plaintext = plaintext
  }
  open(): string {
    return this.#plaintext
  }
  toString(): string {
    return '•••'
  }
  toJSON(): string {
    return '•••'
  }
  [inspect.custom](): string {
    return '•••'
  }
}
