import { inspect } from 'node:util'

/** A plaintext that must not be logged. It prints, serializes and interpolates as `•••`. Only `open()` returns it. */
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
