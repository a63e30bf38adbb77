import { useState } from 'preact/hooks'
import type { Attempt, Delivery, Exchange } from '#contract/journey.ts'
import type { Static } from '#contract/schema.ts'
import { batchPartOf } from '#dashboard/explain/batchPart.ts'
import { curlOf, messageText } from '#dashboard/explain/curl.ts'
import { eventWords as words } from '#dashboard/words/en/events.ts'
import { duration } from '#dashboard/words/format.ts'
import { useChannelName } from '../../data/tag.tsx'
import { Code } from '../../parts/code.tsx'
import { Options, Tabs } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'

type Side = 'request' | 'response' | 'curl'

const textOf = ({ request, response }: Exchange, side: Side): string => {
  if (side === 'curl') return curlOf(request)
  if (side === 'request') return messageText(`${request.method} ${request.url}`, request.headers, request.body)
  return response ? messageText(words.http(response.status), response.headers, response.body) : words.noAnswer
}

/** Each request of an attempt, with its response. The texts of a vendor are shown as text. */
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

/** What was sent to one channel, attempt by attempt, the last one first. */
export function Exchanges({
  tagId,
  ids,
  delivery,
  isErased,
}: {
  tagId: string
  /** By what a request of several events may name this one. */
  ids: readonly string[]
  delivery: Delivery
  isErased: boolean
}) {
  const { attempts, scriptId } = delivery
  const [at, setAt] = useState(attempts.length - 1)
  const name = useChannelName(tagId)(scriptId)
  const attempt = attempts[Math.max(0, Math.min(at, attempts.length - 1))]
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
        attempts.length > 1 && (
          <select
            aria-label={words.attempt(at + 1, attempts.length)}
            value={`${at}`}
            onChange={(event) => setAt(Number(event.currentTarget.value))}
          >
            <Options of={attempts.map((_, n) => [`${n}`, words.attempt(n + 1, attempts.length)])} />
          </select>
        )
      }
    >
      {attempt.message && <p class="vendorSays">{attempt.message}</p>}
      {isErased ? <p class="soft">{words.exchangesErased}</p> : <Exchanged attempt={attempt} ids={ids} />}
    </Panel>
  )
}
