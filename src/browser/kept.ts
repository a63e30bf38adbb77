import type { Kept } from './page.ts'

/** A JSON value kept by name; undefined where there is none, or somebody else has written over it. */
export function recall<Value>(kept: Kept, name: string): Value | undefined {
  try {
    return JSON.parse(kept.get(name) ?? '') as Value
  } catch {
    return undefined
  }
}

export const remember = (kept: Kept, name: string, value: unknown): void => kept.put(name, JSON.stringify(value))
