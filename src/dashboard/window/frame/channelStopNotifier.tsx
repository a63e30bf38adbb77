import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Alert } from '#contract/alert.ts'
import type { Client } from '#contract/client.ts'
import { addressOf } from '#dashboard/addresses.ts'
import { addedStops, type ChannelStops, channelStops } from '#dashboard/list/channelStops.ts'
import { frameWords as words } from '#dashboard/words/en/frame.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { callsOf, type HereValue, useHere, useRead } from '../data/here.tsx'
import { stoppedCount } from '../data/signal.ts'

/** How often the alerts are read, also while the page is hidden. */
const everyMs = 30_000

/** Shows one notification of the browser, which opens the channel when it is clicked. */
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
export function ChannelStopNotifier() {
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
