import type { KeyValueStorage } from './browserPage.ts'

/** Reads a JSON value by name; undefined if it is absent or not JSON. */
export function readJson<Value>(storage: KeyValueStorage, name: string): Value | undefined {
  try {
    return JSON.parse(storage.get(name) ?? '') as Value
  } catch {
    return undefined
  }
}

export const writeJson = (storage: KeyValueStorage, name: string, value: unknown): void =>
  storage.set(name, JSON.stringify(value))
