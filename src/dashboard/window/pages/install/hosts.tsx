import { CircleAlert, CircleCheck, Clock, Trash2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import type { HostState, Tag } from '#contract/tag.ts'
import { domainOf } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { installWords as words } from '#dashboard/words/en/install.ts'
import { useAction } from '../../data/action.ts'
import { useMay } from '../../data/here.tsx'
import type { Reading } from '../../data/query.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'

const hostMarks = {
  ready: { icon: CircleCheck, tone: 'good' },
  missing: { icon: CircleAlert, tone: 'bad' },
  unproved: { icon: Clock, tone: 'wait' },
} as const

function Host({ of: { host, state, record, proof }, remove }: { of: HostState; remove: ComponentChildren }) {
  return (
    <li class="stack tight host">
      <div class="line">
        <b>{host}</b>
        <Mark {...hostMarks[state]}>{words.hostState[state]}</Mark>
        {remove && <span class="end">{remove}</span>}
      </div>
      {state !== 'ready' && (
        <>
          <p class="hint">{words.record}</p>
          <Code text={record} label={words.record} />
          {state === 'unproved' && (
            <>
              <p class="hint">{words.proof}</p>
              <Code text={proof} label={words.proof} />
            </>
          )}
        </>
      )}
    </li>
  )
}

/** Adds a host name to those of the tag. */
function HostForm({ tagId, hosts }: { tagId: string; hosts: readonly string[] }) {
  const { why } = useMay('tag:write')
  const action = useAction('tag')
  const add = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const host = domainOf(`${new FormData(form).get('host')}`)
    if (await action.run((api) => api.updateTag({ tagId, body: { hosts: [...hosts, host] } }))) form.reset()
  }
  return (
    <>
      <form class="inputRow inlineForm" onSubmit={add}>
        <input
          type="text"
          name="host"
          aria-label={words.host}
          placeholder={words.hostPlaceholder}
          required
          maxLength={253}
          autocomplete="off"
          spellcheck={false}
        />
        <Button type="submit" why={why} isBusy={action.isBusy}>
          {frameWords.add}
        </Button>
      </form>
      <ProblemLine error={action.error} />
    </>
  )
}

/** The customer's host names, with DNS records and state. */
export function Hosts({ tagId, reading, canRemove }: { tagId: string; reading: Reading<Tag>; canRemove?: boolean }) {
  const { why } = useMay('tag:write')
  const hosts = reading.data?.hosts ?? []
  const remove = (host: string) => (
    <ConfirmButton
      button={{ isSmall: true, variant: 'quiet', icon: Trash2, label: frameWords.removeNamed(host), why }}
      title={frameWords.removeNamed(host)}
      label={frameWords.remove}
      changes={['tag']}
      call={(api) => api.updateTag({ tagId, body: { hosts: hosts.filter((each) => each !== host) } })}
      text={words.removeHostText}
    />
  )
  return (
    <Panel
      title={words.hosts}
      note={words.hostsHint}
      actions={
        <Button isSmall variant="quiet" onClick={() => void reading.refetch()}>
          {words.checkAgain}
        </Button>
      }
    >
      <View of={reading} skeleton={<Skeleton rows={1} />}>
        {({ hostStates = [] }) =>
          hostStates.length === 0 ? (
            <p class="soft">{words.noHosts}</p>
          ) : (
            <ul class="stack">
              {hostStates.map((state) => (
                <Host key={state.host} of={state} remove={canRemove && remove(state.host)} />
              ))}
            </ul>
          )
        }
      </View>
      <HostForm tagId={tagId} hosts={hosts} />
    </Panel>
  )
}
