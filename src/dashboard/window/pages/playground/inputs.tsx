import { useState } from 'preact/hooks'
import { type SampleName, sampleNames } from '#dashboard/form/sampleEvent.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { playgroundWords as words } from '#dashboard/words/en/playground.ts'
import { useAction } from '../../data/action.ts'
import { useHere, useRead } from '../../data/here.tsx'
import { Field } from '../../parts/field.tsx'
import { CheckRow, Options, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { brokenFields, type PlaygroundDraft, sampleText } from './usePlayground.ts'

type TextName = 'event' | 'user' | 'secrets' | 'replies' | 'headers' | 'body'
type InputsProps = { draft: PlaygroundDraft; onChange: (next: PlaygroundDraft) => void }

function JsonText({
  draft,
  onChange,
  name,
  label,
  help,
  rows,
}: InputsProps & { name: TextName; label: string; help?: string; rows: number }) {
  const broken: Partial<Record<TextName, string>> = brokenFields(draft)
  return (
    <TextField
      label={label}
      issue={broken[name]}
      help={help}
      rows={rows}
      value={draft[name]}
      onChange={(text) => onChange({ ...draft, [name]: text })}
    />
  )
}

/** The samples, and the tag's last events. */
export function EventOptions({ tagId }: { tagId: string }) {
  const { me } = useHere()
  const { data } = useRead(['playgroundEvents', tagId], (api) => api.listEvents({ tagId, limit: 10 }), {
    isEnabled: me.scopes.includes('event:read'),
  })
  const events = data?.events.filter(({ eventId }) => eventId !== undefined) ?? []
  return (
    <>
      <Options of={sampleNames.map((name) => [`sample ${name}`, words.sample(name)])} />
      {events.length > 0 && (
        <optgroup label={words.real}>
          <Options of={events.map(({ eventId, eventName }) => [`real ${eventId}`, `${eventName} ${eventId}`])} />
        </optgroup>
      )}
    </>
  )
}

/** A sample, or one of the last events as received. */
function EventChoice({ tagId, onChoose }: { tagId: string; onChoose: (text: string) => void }) {
  const action = useAction()
  const [chosen, setChosen] = useState('sample Purchase')
  const choose = async (value: string) => {
    setChosen(value)
    const [kind, ...rest] = value.split(' ')
    const name = rest.join(' ')
    if (kind === 'sample') return onChoose(sampleText(name as SampleName))
    const journey = await action.run((api) => api.readEvent({ tagId, eventId: name }))
    const { eventName, eventId, timestamp, data: fields } = (journey?.received ?? {}) as Record<string, unknown>
    if (journey)
      onChoose(
        JSON.stringify({ eventName: eventName ?? journey.eventName, eventId, timestamp, data: fields }, undefined, 2),
      )
  }
  return (
    <>
      <Field label={frameWords.title.event}>
        {({ id }) => (
          <select id={id} value={chosen} onChange={(event) => void choose(event.currentTarget.value)}>
            <EventOptions tagId={tagId} />
          </select>
        )}
      </Field>
      <ProblemLine error={action.error} />
    </>
  )
}

/** The inputs of the code: an event or a call, the visitor, secrets and replies. */
export function Inputs({ tagId, draft, onChange, hasKept }: InputsProps & { tagId: string; hasKept: boolean }) {
  const part = { draft, onChange }
  const isCall = draft.kind === 'webhook' && draft.isOutside
  return (
    <Panel title={words.input}>
      {draft.kind === 'webhook' && (
        <CheckRow
          label={words.outsideOn}
          value={draft.isOutside}
          onChange={(isOutside) => onChange({ ...draft, isOutside })}
        />
      )}
      {isCall ? (
        <>
          <p class="hint">{words.outsideHint}</p>
          <JsonText {...part} name="headers" label={words.headersJson} rows={2} />
          <JsonText {...part} name="body" label={words.bodyJson} rows={5} />
        </>
      ) : (
        <>
          <EventChoice tagId={tagId} onChoose={(event) => onChange({ ...draft, event })} />
          <JsonText {...part} name="event" label={words.eventJson} rows={8} />
        </>
      )}
      <JsonText {...part} name="user" label={words.userJson} help={words.userHint} rows={3} />
      {hasKept ? (
        <p class="hint">{words.keptSecrets}</p>
      ) : (
        <JsonText {...part} name="secrets" label={words.secrets} help={words.secretsHint} rows={3} />
      )}
      <JsonText {...part} name="replies" label={words.replies} help={words.repliesHint} rows={3} />
    </Panel>
  )
}
