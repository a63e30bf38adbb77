import { CirclePause } from 'lucide'
import type { FieldRow, ProviderRow } from '#dashboard/form/channelForm.ts'
import { fieldRowsOf, isRequired, type MovedChannel, providerOf } from '#dashboard/form/moveIn.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import type { ChannelSummary } from '#import/importResult.ts'
import { CheckRow, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { SecretField } from '../channels/fields.tsx'
import type { MoveState } from './useMove.ts'

type ChannelProps = { of: MovedChannel; move: MoveState; provider: ProviderRow | undefined }

/** The fields of a chosen channel: those that the person must fill in are shown, the others are collapsed. */
function ChannelFields({ of: channel, move, provider }: ChannelProps) {
  const { key, fields, given, name } = channel
  const issues = move.issues[key] ?? {}
  const rows = fieldRowsOf(provider, channel)
  const needs = ({ variable }: FieldRow) => given[variable] === '' || issues[variable] !== undefined
  const field = (row: FieldRow) => (
    <SecretField
      key={row.variable}
      row={{ ...row, optional: !isRequired(row, channel) }}
      providerId={channel.script.providerId}
      value={fields[row.variable]!}
      issue={issues[row.variable]}
      onChange={(value) => move.changeChannel(key, { fields: { ...fields, [row.variable]: value } })}
    />
  )
  const nameField = (
    <TextField
      label={frameWords.name}
      issue={issues.name}
      maxLength={200}
      value={name}
      onChange={(text) => move.changeChannel(key, { name: text })}
    />
  )
  const ofWhole = [issues[''], issues.rules && words.rulesRefused + issues.rules].filter(Boolean)
  return (
    <div class="stack moveFields">
      {ofWhole.map((text) => (
        <p key={text} class="fieldIssue" role="alert">
          {text}
        </p>
      ))}
      {issues.name && nameField}
      {rows.filter(needs).map(field)}
      <details>
        <summary>{words.moreFields}</summary>
        <div class="stack moveFields">
          {!issues.name && nameField}
          {rows.filter((row) => !needs(row)).map(field)}
        </div>
      </details>
    </div>
  )
}

/** The source of a channel, and the events that it gets. */
const Origin = ({ of: { from, events } }: { of: ChannelSummary }) => (
  <p class="hint">
    {words.from(from)}. {events && `${words.events(events)}.`}
  </p>
)

function ChannelItem({ summary, ...props }: ChannelProps & { summary: ChannelSummary | undefined }) {
  const { of: channel, move, provider } = props
  const label = (
    <span class="anywhere">
      <b>
        <bdi>{channel.name || channel.key}</bdi>
      </b>{' '}
      {provider?.label !== channel.name && <small class="soft">{provider?.label}</small>}{' '}
      {summary?.isActive === false && (
        <Mark icon={CirclePause} tone="none">
          {words.wasOff}
        </Mark>
      )}
    </span>
  )
  return (
    <li>
      <div class="stack tight moveChannel" role="group" aria-label={channel.key}>
        <CheckRow
          label={label}
          value={channel.isChosen}
          onChange={(isChosen) => move.changeChannel(channel.key, { isChosen })}
        />
        {summary && <Origin of={summary} />}
        {channel.isChosen && <ChannelFields {...props} />}
      </div>
    </li>
  )
}

/** The channels of an import: which ones are moved in, and what they still need. */
export function ChannelPanel({ move, providers }: { move: MoveState; providers: readonly ProviderRow[] }) {
  const { channels, result } = move
  return (
    <Panel title={frameWords.title.channels} note={channels.length > 0 && words.channelsNote}>
      {channels.length === 0 && <p class="soft">{words.noChannels}</p>}
      <ul class="stack moveChannels">
        {channels.map((channel) => (
          <ChannelItem
            key={channel.key}
            of={channel}
            move={move}
            provider={providerOf(providers, channel)}
            summary={result?.report.channels.find(({ name }) => name === channel.key)}
          />
        ))}
      </ul>
    </Panel>
  )
}
