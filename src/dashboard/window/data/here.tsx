import type { QueryObserverOptions } from '@tanstack/query-core'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { Me } from '#contract/me.ts'
import type { Scope } from '#contract/scopes.ts'
import type { Session } from '#contract/session.ts'
import { addressOf, apiPath, type PageId, type PageParams, type Query, type TeamPlace } from '#dashboard/addresses.ts'
import { lowestRole } from '#dashboard/api/roleOf.ts'
import { calls } from '#dashboard/api/sessionClient.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { type PagedReading, type Reading, usePaged, useQuery } from './query.ts'

/** The team that the page works for, and the signed-in person. */
export type HereValue = TeamPlace & { me: Me; session: Session }

export const Here = createContext<HereValue | undefined>(undefined)

export function useHere(): HereValue {
  const here = useContext(Here)
  if (!here) throw new Error('This is rendered outside of a team.')
  return here
}

export const callsOf = (place: TeamPlace, signal?: AbortSignal, headers?: Record<string, string>): Client =>
  calls({
    apiPath: apiPath(place.environment),
    origin: location.origin,
    teamId: place.teamId,
    signal,
    ...(headers && { headers }),
  })

type ReadOptions = {
  isEnabled?: boolean
  /** Reads again after this time while the page is visible. */
  everyMs?: number
  /** Reads again also while the page is hidden. */
  isReadHidden?: boolean
  staleMs?: number
  /** While this value is unchanged, the previous data stays until the answer for a new name arrives. */
  staysWhile?: string
}

export const keyOf = ({ environment, teamId }: TeamPlace, name: readonly unknown[]) => [environment, teamId, ...name]

/** Reads from the control API for the page's team. `name` identifies the answer in the cache. */
export function useRead<Data>(
  name: readonly unknown[],
  read: (api: Client) => Promise<Data>,
  { isEnabled = true, everyMs, isReadHidden, staleMs, staysWhile }: ReadOptions = {},
): Reading<Data> {
  const here = useHere()
  const options: QueryObserverOptions<Data, Error> = {
    queryKey: keyOf(here, name),
    queryFn: ({ signal }) => read(callsOf(here, signal)),
    enabled: isEnabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    ...(isReadHidden !== undefined && { refetchIntervalInBackground: isReadHidden }),
    ...(staleMs !== undefined && { staleTime: staleMs }),
    ...(staysWhile !== undefined && {
      placeholderData: ((before, query) =>
        query?.queryKey.includes(staysWhile) ? before : undefined) as QueryObserverOptions<
        Data,
        Error
      >['placeholderData'] & {},
    }),
  }
  return useQuery(options)
}

/** Reads a list of the team page by page. `read` gets the cursor of the page; undefined for the first. */
export function useList<Page extends { next?: string | undefined }, Row>(
  name: readonly unknown[],
  read: (api: Client, at: { cursor?: string }) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
  options: { isEnabled?: boolean; everyMs?: number } = {},
): PagedReading<Row> {
  const here = useHere()
  return usePaged<Page, Row>({
    ...options,
    queryKey: keyOf(here, name),
    read: (cursor, signal) => read(callsOf(here, signal), cursor === undefined ? {} : { cursor }),
    rowsOf,
    nextOf: ({ next }) => next,
  })
}

/** Addresses of pages in this team and environment. */
export function useAddress() {
  const { environment, teamId } = useHere()
  return <Id extends PageId>(id: Id, params: PageParams<Id>, query?: Query) =>
    addressOf({ environment, teamId }, id, params, query)
}

/** Addresses of events. An untrusted caller may have sent an event with the same id as a trusted one. */
export function useEventAddress(tagId: string) {
  const address = useAddress()
  return ({ eventId, caller }: { eventId: string; caller?: string | undefined }) =>
    address('event', { tagId, eventId }, { caller: caller === 'untrusted' ? caller : undefined })
}

/** Whether the person may do it; if not, the sentence that names the role needed. */
export function useMay(...scopes: Scope[]): { may: boolean; why: string | undefined } {
  const { me, session, teamId } = useHere()
  const may = scopes.every((scope) => me.scopes.includes(scope))
  const own = session.teams.find((team) => team.teamId === teamId)?.role
  return { may, why: may ? undefined : frameWords.needsRole(lowestRole(scopes), own) }
}

/** The tag of the page, by the id in its address; undefined when the team has no such tag. */
export function useTag(tagId: string | undefined): Me['tags'][number] | undefined {
  return useHere().me.tags.find((tag) => tag.tagId === tagId)
}
