import type { Client } from '#contract/client.ts'
import { manageWords as words } from '#dashboard/words/en/manage.ts'
import { useHere, useRead } from './here.tsx'

/** The people of the team. */
export const useMembers = () => {
  const { me } = useHere()
  return useRead(['members'], (api: Client) => api.listMembers(), {
    staleMs: 60_000,
    isEnabled: me.scopes.includes('member:read'),
  })
}

/** The name of an actor: a person of the team, the operator, the server, or a token by its id. */
export function useActorName(): (by: string) => string {
  const { data } = useMembers()
  const names = new Map((data?.members ?? []).map(({ personId, name }) => [personId, name]))
  return (by) => names.get(by) ?? words.actor(by)
}
