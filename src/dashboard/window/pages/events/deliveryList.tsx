import { RotateCw } from 'lucide'
import { useState } from 'preact/hooks'
import { type DeliveryReason, isFinal } from '#contract/deliveryStatus.ts'
import type { Delivery, Journey } from '#contract/journey.ts'
import type { Replay, ReplayableStatus } from '#contract/replay.ts'
import { explain } from '#dashboard/explain/explain.ts'
import { eventWords as words } from '#dashboard/words/en/events.ts'
import { explainWords } from '#dashboard/words/en/explain.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { ruleWords } from '#dashboard/words/en/rules.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { ago, duration } from '#dashboard/words/format.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { now } from '../../data/signal.ts'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { Status } from '../../parts/status.tsx'
import { ProblemLine } from '../../parts/view.tsx'

/** The first reason why a replay left deliveries out, in words. */
const leftOut = ({ scripts }: Replay) => {
  const [reason] = Object.keys(scripts[0]?.left ?? {})
  return reason && statusWords.reason(reason as DeliveryReason)
}

type SendAgainProps = { tagId: string; eventId: string; delivery: Delivery; name: string }

/** Sends one delivery again, as a replay of this event and channel. Asks first if it was delivered. */
function SendAgain({ tagId, eventId, delivery, name }: SendAgainProps) {
  const { why } = useMay('replay:write')
  const action = useAction('event')
  const [done, setDone] = useState<string>()
  const body = { eventIds: [eventId], scriptIds: [delivery.scriptId], status: delivery.status as ReplayableStatus }
  const showResult = (replay: Replay) => {
    const isNothing = replay.isWhole && replay.replayed === 0
    setDone(isNothing ? words.sendAgainNothing(leftOut(replay)) : words.sendAgainStarted)
  }
  const send = async () => {
    const replay = await action.run((api) => api.createReplay({ tagId, body }))
    if (replay) showResult(replay)
  }
  return (
    <>
      {delivery.status === 'delivered' ? (
        <ConfirmButton
          button={{ isSmall: true, icon: RotateCw, why, children: frameWords.sendAgain }}
          title={words.sendAgainTitle}
          label={words.sendAgainTo(name)}
          variant="primary"
          changes={['event']}
          call={(api) => api.createReplay({ tagId, body: { ...body, force: true } })}
          onDone={(replay) => showResult(replay)}
          text={words.sendAgainDelivered(name)}
        />
      ) : (
        <Button isSmall icon={RotateCw} why={why} isBusy={action.isBusy} onClick={send}>
          {frameWords.sendAgain}
        </Button>
      )}
      {done && (
        <span class="soft" role="status">
          {done}
        </span>
      )}
      <ProblemLine error={action.error} />
    </>
  )
}

/** The time after which the next attempt is due. */
function NextTry({ at }: { at: number | undefined }) {
  return at === undefined ? null : <p class="soft">{words.nextTry(ago(Math.max(at, now.value), now.value))}</p>
}

type RowProps = {
  tagId: string
  journey: Journey
  delivery: Delivery
  name: string
  isChosen: boolean
  onChoose: () => void
}

function Row({ tagId, journey, delivery, name, isChosen, onChoose }: RowProps) {
  const address = useAddress()
  const { sentence, action } = explain(delivery, journey.eventName)
  const { status, reason, attempts, scriptId } = delivery
  const last = attempts.at(-1)
  const edit = action && action !== 'channel' ? explainWords.actions[action] : undefined
  return (
    <li class={`deliveryRow${isChosen ? ' chosen' : ''}`}>
      <div class="line">
        <button type="button" class="deliveryName" aria-pressed={isChosen} onClick={onChoose}>
          {name}
        </button>
        <Status of={status} reason={reason} />
        <span class="hint number end">
          {last &&
            `${last.status !== undefined ? words.http(last.status) : words.noAnswer} · ${duration(last.durationMs)}`}
        </span>
      </div>
      <p class="sentence">{sentence}</p>
      {isChosen && delivery.afterRules && (
        <Code text={JSON.stringify(delivery.afterRules, undefined, 2)} label={ruleWords.afterRules} />
      )}
      {!isFinal(status) && <NextTry at={delivery.nextAt} />}
      <div class="row deliveryActions">
        {isFinal(status) && !journey.isErased && (
          <SendAgain tagId={tagId} eventId={journey.eventId} delivery={delivery} name={name} />
        )}
        {edit && (
          <a class="button plain small" href={address('editChannel', { tagId, scriptId })}>
            {edit}
          </a>
        )}
        <a class="button quiet small" href={address('channel', { tagId, scriptId })}>
          {words.openChannel}
        </a>
      </div>
    </li>
  )
}

type DeliveryListProps = {
  tagId: string
  journey: Journey
  chosen: string | undefined
  onChoose: (deliveryId: string) => void
}

/** Every channel of the event: status, explanation and actions. */
export function DeliveryList({ tagId, journey, chosen, onChoose }: DeliveryListProps) {
  const nameOf = useChannelName(tagId)
  if (journey.deliveries.length === 0) return <p class="soft padded">{words.noChannels}</p>
  return (
    <ul class="deliveryRows">
      {journey.deliveries.map((delivery) => (
        <Row
          key={delivery.deliveryId}
          tagId={tagId}
          journey={journey}
          delivery={delivery}
          name={nameOf(delivery.scriptId)}
          isChosen={delivery.deliveryId === chosen}
          onChoose={() => onChoose(delivery.deliveryId)}
        />
      ))}
    </ul>
  )
}
