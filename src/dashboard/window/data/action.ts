import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import { issuesByName, issuesOf, problemOf } from '#dashboard/api/problem.ts'
import { callsOf, keyOf, useHere } from './here.tsx'
import { queries } from './query.ts'
import { signedOut } from './signal.ts'

/** A change that the person asked for: whether it runs, and why it failed. */
export type Action = {
  isBusy: boolean
  error: unknown
  /** The issue of each of these fields that the call was refused for; an empty name for issues without a field. */
  issues(...fields: readonly string[]): Record<string, string>
  /** Returns what the call returns; undefined when it failed. */
  run<Answer>(call: (api: Client) => Promise<Answer>): Promise<Answer | undefined>
  forget(): void
}

/** Runs changes, one at a time. After each, reads under these names are refreshed. */
export function useAction(...changed: readonly string[]): Action {
  const here = useHere()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  return {
    isBusy,
    error,
    issues: (...fields) => issuesByName(issuesOf(error), fields),
    forget: () => setError(undefined),
    async run(call) {
      setBusy(true)
      setError(undefined)
      try {
        const answer = await call(callsOf(here))
        await Promise.all(changed.map((name) => queries.invalidateQueries({ queryKey: keyOf(here, [name]) })))
        return answer
      } catch (problem) {
        if (problemOf(problem).kind === 'signedOut') signedOut.value = true
        setError(problem)
        return undefined
      } finally {
        setBusy(false)
      }
    },
  }
}
