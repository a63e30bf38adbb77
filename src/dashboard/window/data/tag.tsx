import type { ComponentChildren } from 'preact'
import { useLocation, useRoute } from 'preact-iso/router'
import type { Client } from '#contract/client.ts'
import type { Script } from '#contract/script.ts'
import { type Query, queryText } from '#dashboard/addresses.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { LinkButton } from '../parts/button.tsx'
import { Empty } from '../parts/view.tsx'
import { useAddress, useRead, useTag } from './here.tsx'

/** The query of the address, and a way to change it: each change is an address of its own, without a new entry of the history. */
export function useQueryState(): [Query, (next: Query) => void] {
  const { path, query, route } = useLocation()
  return [query, (next) => route(path + queryText(next), true)]
}

export const useParam = (name: string): string => useRoute().params[name] ?? ''

/** Renders the page of a tag of the team; says so where the tag is unknown or was deleted. */
export function OfTag({
  children,
}: {
  children: (tag: { tagId: string; name: string; tagUrl: string }) => ComponentChildren
}) {
  const tag = useTag(useParam('tagId'))
  const address = useAddress()
  if (tag) return <>{children(tag)}</>
  return (
    <Empty
      isPage
      title={frameWords.tagDeleted}
      action={<LinkButton href={address('team', {})}>{frameWords.tagDeletedAction}</LinkButton>}
    />
  )
}

/** The saved channels of a tag. */
export const useScripts = (tagId: string) =>
  useRead(['scripts', tagId], (api: Client) => api.listScripts({ tagId, limit: 200 }), { staleMs: 30_000 })

/** The name of a channel: its id where it is gone. */
export function useChannelName(tagId: string): (scriptId: string) => string {
  const { data } = useScripts(tagId)
  const names = new Map((data?.scripts ?? []).map(({ scriptId, name }: Script) => [scriptId, name]))
  return (scriptId) => names.get(scriptId) ?? scriptId
}
