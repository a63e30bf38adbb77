import { useLocation, useRoute } from 'preact-iso/router'
import type { Script } from '#contract/script.ts'
import { type Query, queryText } from '#dashboard/addresses.ts'
import { useRead } from './here.tsx'

/** The query of the address, and a function to change it. A change adds no history entry. */
export function useQueryState(): [Query, (next: Query) => void] {
  const { path, query, route } = useLocation()
  return [query, (next) => route(path + queryText(next), true)]
}

export const useParam = (name: string): string => useRoute().params[name] ?? ''

/** The saved channels of a tag. */
export const useScripts = (tagId: string) =>
  useRead(['scripts', tagId], (api) => api.listScripts({ tagId, limit: 200 }), { staleMs: 30_000 })

/** The name of a channel, or its id if it is deleted. */
export function useChannelName(tagId: string): (scriptId: string) => string {
  const { data } = useScripts(tagId)
  const names = new Map((data?.scripts ?? []).map(({ scriptId, name }: Script) => [scriptId, name]))
  return (scriptId) => names.get(scriptId) ?? scriptId
}

/** The providers, plugins and versions of the server. They change only with the server. */
export function useManifest(isEnabled = true) {
  return useRead(['manifest'], (api) => api.readManifest(), { staleMs: 300_000, isEnabled })
}
