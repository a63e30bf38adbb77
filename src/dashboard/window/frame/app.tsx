import type { ComponentType } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { Route, Router, useLocation } from 'preact-iso/router'
import type { EnvironmentName, Me } from '#contract/me.ts'
import type { Session } from '#contract/session.ts'
import { addressOf, apiPath, basePath, type PageId, pageAt, pageIds, pages, routeOf } from '#dashboard/addresses.ts'
import { problemOf } from '#dashboard/api/problem.ts'
import { calls } from '#dashboard/api/sessionClient.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { callsOf, Here, keyOf } from '../data/here.tsx'
import { useQuery } from '../data/query.ts'
import { lastTeam, signedOut, stoppedCount } from '../data/signal.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { Empty, ProblemNote } from '../parts/view.tsx'
import { Shell } from './shell.tsx'
import { SignInDialog, SignInPage } from './signIn.tsx'

/** The component of each page. */
type PageComponents = Readonly<Record<PageId, ComponentType>>
type FrameProps = { environment: EnvironmentName; components: PageComponents }

const teamOf = (environment: EnvironmentName, path: string): string | undefined =>
  path.slice(basePath(environment).length).split('/')[1] || undefined

/** A single card without navigation, for pages outside of a team. */
const Alone = ({ children }: { children: preact.ComponentChildren }) => <main class="alone">{children}</main>

/** The team that was used last, else the first. */
const frameTeam = (environment: EnvironmentName, { teams }: Session) =>
  teams.find(({ teamId }) => teamId === lastTeam.get(environment)) ?? teams[0]

/** `/dashboard` goes to the team that was used last, else to the first. */
function ChooseTeam({ environment, session }: { environment: EnvironmentName; session: Session }) {
  const { route } = useLocation()
  const last = frameTeam(environment, session)
  useEffect(() => {
    if (last) route(addressOf({ environment, teamId: last.teamId }, 'team', {}), true)
  }, [last?.teamId])
  if (last) return null
  return (
    <Alone>
      <Empty
        isPage
        title={frameWords.noTeamTitle}
        action={
          <a class="button plain" href={`${apiPath(environment)}/account/password`} target="_self">
            {frameWords.changePassword}
          </a>
        }
      >
        {frameWords.noTeam}
      </Empty>
    </Alone>
  )
}

function UnknownPage() {
  return (
    <Empty
      isPage
      title={frameWords.goneTitle}
      action={<LinkButton href={basePath(pageEnvironment())}>{frameWords.goneLink}</LinkButton>}
    >
      {frameWords.unknownPage}
    </Empty>
  )
}
const pageEnvironment = (): EnvironmentName => (location.pathname.startsWith('/sandbox/') ? 'sandbox' : 'production')

/** An error in one page does not affect the frame or the other pages. */
function Pages({ environment, components }: FrameProps) {
  const [fault, reset] = useErrorBoundary((error) => console.error(error))
  const { path } = useLocation()
  useEffect(() => {
    if (fault) reset()
  }, [path])
  if (fault)
    return (
      <Empty
        isPage
        title={frameWords.brokenTitle}
        action={<Button onClick={() => location.reload()}>{frameWords.reload}</Button>}
      >
        {frameWords.broken}
      </Empty>
    )
  return (
    <Router onLoadEnd={focusTitle}>
      {pageIds.map((id) => (
        <Route key={id} path={routeOf(environment, id)} component={components[id]} />
      ))}
      <Route default component={UnknownPage} />
    </Router>
  )
}

let shownPage: string | undefined
/** After a navigation the focus moves to the h1, so that a screen reader announces the page. The first page keeps its focus. */
function focusTitle(): void {
  const page = location.pathname
  if (shownPage !== undefined && shownPage !== page) {
    document.getElementById('title')?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }
  shownPage = page
}

function Team({ environment, components, teamId, session }: FrameProps & { teamId: string; session: Session }) {
  const place = { environment, teamId }
  const me = useQuery<Me>({
    queryKey: keyOf(place, ['me']),
    queryFn: ({ signal }) => callsOf(place, signal).readMe(),
    staleTime: 60_000,
  })
  const { path } = useLocation()
  useEffect(() => {
    if (me.data) lastTeam.set(environment, teamId)
  }, [me.data !== undefined, teamId])
  const page = pageAt(environment, path)
  useEffect(() => {
    if (page) document.title = frameWords.documentTitle(stoppedCount.value, frameWords.title[page])
  }, [path, stoppedCount.value])
  // A person who was removed from the team still has cached data; do not show it.
  const isRefused = me.error !== null && problemOf(me.error).kind === 'gone'
  if (me.data && !isRefused)
    return (
      <Here.Provider value={{ ...place, me: me.data, session }}>
        <Shell page={page}>
          <Pages environment={environment} components={components} />
        </Shell>
      </Here.Provider>
    )
  if (!me.error) return <Alone>{null}</Alone>
  if (!isRefused)
    return (
      <Alone>
        <ProblemNote error={me.error} onRetry={() => void me.refetch()} />
      </Alone>
    )
  return (
    <Alone>
      <Empty
        isPage
        title={frameWords.notMemberTitle}
        action={<LinkButton href={basePath(environment)}>{frameWords.otherTeam}</LinkButton>}
      >
        {frameWords.notMember}
      </Empty>
    </Alone>
  )
}

/** Resolves who is signed in, then the team of the address, then its page. */
export function App({ environment, components }: FrameProps) {
  const { path } = useLocation()
  const session = useQuery<Session>({
    queryKey: [environment, 'session'],
    queryFn: ({ signal }) => calls({ apiPath: apiPath(environment), origin: location.origin, signal }).readSession(),
    staleTime: 60_000,
  })
  const segment = teamOf(environment, path)
  if (!session.data) {
    if (session.error && problemOf(session.error).kind === 'signedOut') return <SignInPage environment={environment} />
    if (!session.error) return null
    return (
      <Alone>
        <ProblemNote error={session.error} onRetry={() => void session.refetch()} />
      </Alone>
    )
  }
  // A page of the person is shown in the frame of the last team.
  const isOwn = segment === pages.me.path || segment === pages.operator.path
  const teamId = isOwn ? frameTeam(environment, session.data)?.teamId : segment
  return (
    <>
      {teamId ? (
        <Team key={teamId} environment={environment} components={components} teamId={teamId} session={session.data} />
      ) : (
        <ChooseTeam environment={environment} session={session.data} />
      )}
      {signedOut.value && <SignInDialog environment={environment} />}
    </>
  )
}
