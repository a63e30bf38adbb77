import { CircleQuestionMark, Menu as MenuIcon, PencilLine, Search, WifiOff, X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Alert } from '#contract/alert.ts'
import type { Client } from '#contract/client.ts'
import { addressOf, helpAddress, type PageId, pageEntries } from '#dashboard/addresses.ts'
import { countNotLive } from '#dashboard/form/notLive.ts'
import { addedStops, type ChannelStops, channelStops } from '#dashboard/list/channelStops.ts'
import { frameWords, frameWords as words } from '#dashboard/words/en/frame.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { useDraft } from '../data/draft.ts'
import { callsOf, type HereValue, useHere, useRead } from '../data/here.tsx'
import { useKeys } from '../data/keys.ts'
import { isOffline, notifications, now, stoppedCount } from '../data/signal.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { PersonMenu, TagMenu, TeamMenu } from './menus.tsx'
import { Navigation } from './navigation.tsx'
import { KeysDialog, Palette } from './palette.tsx'

/** How often the alerts are read, also while the page is hidden. */
const everyMs = 30_000

/** Shows a browser notification that opens the channel when clicked. */
async function notify(here: HereValue, { alertId, tagId, scriptId, reason }: Alert, go: (address: string) => void) {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  const { scripts } = await callsOf(here)
    .listScripts({ tagId, limit: 200 })
    .catch(() => ({ scripts: [] }))
  const name = scripts.find((script) => script.scriptId === scriptId)?.name ?? scriptId
  const shown = new Notification(words.channelStopped(name), {
    body: words.channelStoppedText(statusWords.reason(reason)),
    tag: alertId,
  })
  shown.onclick = () => {
    window.focus()
    go(addressOf(here, 'channel', { tagId, scriptId }))
    shown.close()
  }
}

/** Watches the alerts of the team while a page is open. Renders nothing. */
function ChannelStopNotifier() {
  const here = useHere()
  const { route } = useLocation()
  const stops = useRef<ChannelStops | undefined>(undefined)
  const reading = useRead(['alerts', 'newest'], (api: Client) => api.listAlerts({ limit: 50 }), {
    isEnabled: here.me.scopes.includes('event:read'),
    everyMs,
    isReadHidden: true,
    staleMs: 0,
  })
  const alerts = reading.data?.alerts
  useEffect(() => {
    if (alerts === undefined) return
    const before = stops.current
    const after = channelStops(before, alerts)
    stops.current = after
    stoppedCount.value = after.open.length
    for (const alert of addedStops(before, after)) void notify(here, alert, route)
  }, [alerts])
  useEffect(
    () => () => {
      stoppedCount.value = 0
    },
    [],
  )
  return null
}

/** The tag of the address. */
function usePathTag(): string | undefined {
  const parts = useLocation().path.split('/')
  const at = parts.indexOf('tags')
  // `tags/new` is a page of the team.
  return at > 0 && parts[at + 1] && parts[at + 1] !== 'new' ? decodeURIComponent(parts[at + 1]!) : undefined
}

/** `g` and a letter, for every page with a letter that needs at most a tag. */
function usePageKeys(): Record<string, () => void> {
  const here = useHere()
  const tagId = usePathTag() ?? here.me.tags[0]?.tagId
  const { route } = useLocation()
  return Object.fromEntries(
    pageEntries.flatMap(([id, { letter, of, scopes }]) => {
      const isOffered = scopes.every((scope) => here.me.scopes.includes(scope)) && (of === 'team' || tagId)
      return letter && isOffered
        ? [[`g ${letter}`, () => route(addressOf(here, id as 'overview', { tagId: tagId! }))]]
        : []
    }),
  )
}

function OfflineBanner() {
  const [since, setSince] = useState(0)
  const isOff = isOffline.value
  useEffect(() => setSince(Date.now()), [isOff])
  if (!isOff) return null
  return (
    <p class="offline" role="status">
      <Icon of={WifiOff} />
      {frameWords.offlineSince(since, now.value)}
    </p>
  )
}

const SkipLink = () => (
  <a
    class="skip"
    href="#title"
    onClick={(event) => {
      event.preventDefault()
      document.getElementById('title')?.focus()
    }}
  >
    {frameWords.skip}
  </a>
)

/** Opens the docs of the page in a new tab, so that forms keep their state. */
const HelpLink = ({ page }: { page: PageId }) => (
  <a
    class="button quiet bare helpLink"
    href={helpAddress(page)}
    target="_blank"
    rel="noopener"
    hreflang="en"
    aria-label={frameWords.help}
    title={frameWords.help}
  >
    <Icon of={CircleQuestionMark} />
  </a>
)

/** The number of saved changes of the tag that are not live, with a link. */
function NotLiveLink({ tagId }: { tagId: string | undefined }) {
  const here = useHere()
  const draft = useDraft(tagId)
  const count = draft ? countNotLive(draft.values) : 0
  if (count === 0 || tagId === undefined) return null
  return (
    <a class="button quiet notLiveLink" href={addressOf(here, 'deployments', { tagId })}>
      <Icon of={PencilLine} />
      <span class="notLiveText">{frameWords.notLive(count)}</span>
      <span class="notLiveCount" aria-hidden="true">
        {count}
      </span>
    </a>
  )
}

/** Header, navigation and the page. */
export function Shell({ page, children }: { page: PageId | undefined; children: ComponentChildren }) {
  const [open, setOpen] = useState<'palette' | 'keys' | 'navigation' | undefined>()
  const { path } = useLocation()
  const tagId = usePathTag()
  useEffect(() => setOpen(undefined), [path])
  useKeys({
    ...usePageKeys(),
    'Ctrl k': () => setOpen('palette'),
    '?': () => setOpen('keys'),
    '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
  })
  const isNavigationOpen = open === 'navigation'
  return (
    <div class="shell">
      <SkipLink />
      {notifications.value.value === 'on' && <ChannelStopNotifier />}
      <Navigation page={page} tagId={tagId} isOpen={isNavigationOpen} />
      {isNavigationOpen && (
        <button
          type="button"
          class="scrim"
          aria-label={frameWords.closeNavigation}
          onClick={() => setOpen(undefined)}
        />
      )}
      <div class="shellMain">
        <header class="top">
          <span class="topMenu">
            <Button
              variant="quiet"
              icon={isNavigationOpen ? X : MenuIcon}
              label={isNavigationOpen ? frameWords.closeNavigation : frameWords.openNavigation}
              onClick={() => setOpen(isNavigationOpen ? undefined : 'navigation')}
            />
          </span>
          <TeamMenu />
          <TagMenu tagId={tagId} page={page} />
          <button type="button" class="searchButton" onClick={() => setOpen('palette')}>
            <Icon of={Search} />
            <span>{frameWords.search}</span>
            <kbd>{frameWords.shortcut}</kbd>
          </button>
          <NotLiveLink tagId={tagId} />
          {page && <HelpLink page={page} />}
          <PersonMenu onKeys={() => setOpen('keys')} />
        </header>
        <OfflineBanner />
        <main class={`page page-${page ?? 'none'}`}>{children}</main>
      </div>
      {open === 'palette' && (
        <Palette tagId={tagId} onClose={() => setOpen(undefined)} onKeys={() => setOpen('keys')} />
      )}
      {open === 'keys' && <KeysDialog onClose={() => setOpen(undefined)} />}
    </div>
  )
}
