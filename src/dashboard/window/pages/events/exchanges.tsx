import { useState } from 'preact/hooks'
import type { Attempt, Delivery, Exchange, Journey } from '#contract/journey.ts'
import type { Static } from '#contract/schema.ts'
import { batchPartOf } from '#dashboard/explain/batchPart.ts'
import { curlOf, messageText } from '#dashboard/explain/curl.ts'
import { eventWords as words } from '#dashboard/words/en/events.ts'
import { duration } from '#dashboard/words/format.ts'
import { useAction } from '../../data/action.ts'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Options, Tabs } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine } from '../../parts/view.tsx'

/** The ids that may name this event in a request of several events: its id, and the order id for vendors without event ids. */
function idsOf({ eventId, received }: Journey): string[] {
  const { orderId } = ((received as { data?: unknown } | undefined)?.data ?? {}) as { orderId?: unknown }
  return typeof orderId === 'string' && orderId !== '' ? [eventId, orderId] : [eventId]
}

type Side = 'request' | 'response' | 'curl'

const textOf = ({ request, response }: Exchange, side: Side): string => {
  if (side === 'curl') return curlOf(request)
  if (side === 'request') return messageText(`${request.method} ${request.url}`, request.headers, request.body)
  return response ? messageText(words.http(response.status), response.headers, response.body) : words.noAnswer
}

/** Each request of an attempt, with its response. A vendor's text is never rendered as markup. */
function Exchanged({ attempt, ids }: { attempt: Static<typeof Attempt>; ids: readonly string[] }) {
  const [isWhole, setWhole] = useState(false)
  const [side, setSide] = useState<Side>('request')
  const sides = { request: words.request, response: words.response, curl: words.curl }
  if (!attempt.exchanges)
    return <p class="soft">{attempt.noExchanges === 'notStored' ? words.exchangesNotStored : words.exchangesGone}</p>
  return (
    <>
      <Tabs label={words.request} of={sides} value={side} onChange={setSide} />
      {attempt.exchanges.map((exchange, at) => {
        const own = side === 'request' ? batchPartOf(exchange.request.body ?? '', ids) : undefined
        const { request } = exchange
        const shown = own && !isWhole ? { ...exchange, request: { ...request, body: own } } : exchange
        return (
          <div key={at} class="stack">
            {own && (
              <p class="soft">
                {words.batched}{' '}
                <button type="button" class="linkButton" onClick={() => setWhole(!isWhole)}>
                  {isWhole ? words.ownOnly : words.wholeRequest}
                </button>
              </p>
            )}
            <Code text={textOf(shown, side)} label={sides[side]} isTall />
          </div>
        )
      })}
      {side !== 'response' && attempt.exchanges.some(({ request }) => !request.body && request.method !== 'GET') && (
        <p class="hint">{words.bodyGone}</p>
      )}
      <p class="hint">{words.struckOut}</p>
    </>
  )
}

type Numbered = ReadonlyMap<number, Static<typeof Attempt>>
type DeliveryOf = { tagId: string; journey: Journey; delivery: Delivery }

/** The attempts of a delivery by number, from 1, and a function that loads earlier ones. */
function useAttempts({ tagId, journey: { eventId, caller }, delivery }: DeliveryOf) {
  const [loaded, setLoaded] = useState<Numbered>(new Map())
  const [earlier, setEarlier] = useState(delivery.earlierAttempts)
  const action = useAction('event')
  const numbered = ({ attempts, earlierAttempts }: Delivery) =>
    attempts.map((attempt, n) => [(earlierAttempts?.count ?? 0) + n + 1, attempt] as const)
  const known: Numbered = new Map([...loaded, ...numbered(delivery)].sort(([one], [other]) => one - other))
  const load = async () => {
    if (!earlier) return
    const query = { ...(caller && { caller }), cursor: earlier.cursor }
    const [page] = (await action.run((api) => api.readEvent({ tagId, eventId, ...query })))?.deliveries ?? []
    if (!page) return
    setLoaded(new Map([...known, ...numbered(page)]))
    setEarlier(page.earlierAttempts)
  }
  return { known, earlier, load, isBusy: action.isBusy, error: action.error }
}

/** The requests to one channel by attempt, the last attempt first. */
export function Exchanges({ tagId, journey, delivery }: DeliveryOf) {
  const { known, earlier, load, isBusy, error } = useAttempts({ tagId, journey, delivery })
  const numbers = [...known.keys()]
  const last = numbers.at(-1) ?? 0
  const [chosen, setChosen] = useState(last)
  const at = known.has(chosen) ? chosen : last
  const name = useChannelName(tagId)(delivery.scriptId)
  const attempt = known.get(at)
  if (!attempt)
    return (
      <Panel title={name}>
        <p class="soft">{words.noExchanges}</p>
      </Panel>
    )
  return (
    <Panel
      title={name}
      note={
        <>
          <Time at={attempt.at} /> · {duration(attempt.durationMs)} ·{' '}
          {attempt.status === undefined ? words.noAnswer : words.http(attempt.status)}
        </>
      }
      actions={
        last > 1 && (
          <select
            aria-label={words.attempt(at, last)}
            value={`${at}`}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
          >
            <Options of={numbers.map((n) => [`${n}`, words.attempt(n, last)])} />
          </select>
        )
      }
    >
      {attempt.message && <p class="vendorSays">{attempt.message}</p>}
      {journey.isErased ? (
        <p class="soft">{words.exchangesErased}</p>
      ) : (
        <Exchanged attempt={attempt} ids={idsOf(journey)} />
      )}
      {earlier && (
        <Button isSmall isBusy={isBusy} onClick={load}>
          {words.earlierAttempts(earlier.count)}
        </Button>
      )}
      <ProblemLine error={error} />
    </Panel>
  )
}
