import {
  InfiniteQueryObserver,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
  type QueryObserverResult,
} from '@tanstack/query-core'
import { useEffect, useMemo, useReducer } from 'preact/hooks'
import { problemOf, retryDelayMs, shouldRetry } from '#dashboard/api/problem.ts'
import { signedOut } from './signal.ts'

/** The cache of server data. It is never stored beyond the page. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: shouldRetry,
      retryDelay: retryDelayMs,
      staleTime: 10_000,
      gcTime: 300_000,
      networkMode: 'always',
      throwOnError: false,
    },
  },
})
queries.mount()
queries.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'error') return
  const problem = problemOf(event.action.error)
  if (problem.kind === 'signedOut') signedOut.value = true
  const [environment, teamId, name] = event.query.queryKey
  // The person is no longer a member: read the frame again, so that no page of the team is shown.
  if (problem.kind === 'gone' && problem.code === 'TEAM_REFUSED' && name !== 'me')
    void queries.invalidateQueries({ queryKey: [environment, teamId, 'me'] })
})

export type Reading<Data> = QueryObserverResult<Data, Error>

/** Reads through the cache, and renders again when the result changes. */
export function useQuery<Data>(options: QueryObserverOptions<Data, Error>): Reading<Data> {
  const [, render] = useReducer((n: number) => n + 1, 0)
  const full = queries.defaultQueryOptions(options)
  const observer = useMemo(() => new QueryObserver<Data, Error>(queries, full), [])
  const result = observer.getOptimisticResult(full)
  useEffect(() => observer.subscribe(() => render(0)), [observer])
  useEffect(() => observer.setOptions(full))
  return observer.trackResult(result, undefined)
}

/** The pages of a list read so far. */
export type PagedReading<Row> = {
  rows: Row[]
  isLoading: boolean
  isLoadingMore: boolean
  hasMore: boolean
  error: Error | null
  loadMore: () => void
  reload: () => void
}

type PagedOptions<Page, Row> = {
  queryKey: readonly unknown[]
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>
  rowsOf: (page: Page) => readonly Row[]
  nextOf: (page: Page) => string | undefined
  isEnabled?: boolean
  /** Reads the pages again after this time while the page is visible. */
  everyMs?: number
}

/** Reads a list page by page through the cache. After an empty page that names a next one, reads on at once. */
export function usePaged<Page, Row>({
  queryKey,
  read,
  rowsOf,
  nextOf,
  isEnabled = true,
  everyMs,
}: PagedOptions<Page, Row>): PagedReading<Row> {
  const [, render] = useReducer((n: number) => n + 1, 0)
  const options = {
    queryKey,
    queryFn: ({ pageParam, signal }: { pageParam: unknown; signal: AbortSignal }) =>
      read(pageParam as string | undefined, signal),
    initialPageParam: undefined as unknown,
    getNextPageParam: nextOf,
    enabled: isEnabled,
    refetchOnWindowFocus: false,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  }
  const full = queries.defaultQueryOptions(options) as never
  const observer = useMemo(() => new InfiniteQueryObserver<Page>(queries, full), [])
  const result = observer.getOptimisticResult(full)
  useEffect(() => observer.subscribe(() => render(0)), [observer])
  useEffect(() => observer.setOptions(full))
  const pages = result.data?.pages as Page[] | undefined
  const rows = useMemo(() => (pages ?? []).flatMap((page) => [...rowsOf(page)]), [pages])
  const { hasNextPage, isFetchingNextPage } = result
  const loadMore = () => {
    if (hasNextPage && !isFetchingNextPage) void observer.fetchNextPage()
  }
  return {
    rows,
    isLoading: pages === undefined && !result.error,
    isLoadingMore: isFetchingNextPage,
    hasMore: hasNextPage,
    error: pages === undefined ? result.error : null,
    loadMore,
    reload: () => void observer.refetch(),
  }
}
