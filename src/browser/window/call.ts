import type { Sdk } from '../sdk.ts'
import { built } from './defaults.ts'

/** Before the SDK is there, a stub of the page's keeps its calls in `q`: who waits, and what was called. */
type Waiting = [resolve: (answer: unknown) => void, call: Iterable<unknown>]
type Call = ((...call: unknown[]) => Promise<unknown>) & { q?: Waiting[]; version?: string }

const site: typeof globalThis & { aglet?: Call } = globalThis

/** Whether a page that holds the SDK twice has it already. */
export const isThere = () => site.aglet?.version

/** Makes `aglet(…)` call the SDK, first what has waited for it: a page calls it so, and so do modules. */
export function callBy(sdk: Sdk): void {
  const waiting = site.aglet?.q ?? []
  const call: Call = async (name, ...rest) => {
    const named = sdk[name as keyof Sdk] as ((...rest: unknown[]) => Promise<unknown>) | undefined
    if (!named) throw new Error(`aglet has no ${name}`)
    return named(...rest)
  }
  call.version = built.version
  site.aglet = call
  for (const [resolve, args] of waiting) resolve(call(...args))
}
