import { KeyRound, Pause, Pencil, Play, RotateCw, Trash2 } from 'lucide'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { ChannelStatus } from '#contract/channel.ts'
import type { Client } from '#contract/client.ts'
import type { Script } from '#contract/script.ts'
import { parseRegionText, regionSentence } from '#dashboard/form/regions.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { ago, count } from '#dashboard/words/format.ts'
import { callsOf, keyOf, useAddress, useHere, useMay, useRead } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { now } from '../../data/signal.ts'
import { OfTag, useParam } from '../../data/tag.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Code, Facts } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { ReplayDialogButton } from '../../parts/replayDialog.tsx'
import { ChannelState } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { ErrorList } from './errorList.tsx'

const weekMs = 604_800_000

/** Pauses, resumes and deletes; each asks what cannot be taken back. */
function useActions(tagId: string, scriptId: string) {
  const here = useHere()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [hookErrors, setHookErrors] = useState<readonly string[]>([])
  const run = async (call: (api: Client) => Promise<{ errors: string[] }>): Promise<boolean> => {
    setBusy(true)
    setError(undefined)
    try {
      setHookErrors((await call(callsOf(here))).errors)
      for (const name of ['channels', 'script', 'scripts'])
        await queries.invalidateQueries({ queryKey: keyOf(here, [name]) })
      return true
    } catch (problem) {
      setError(problem)
      return false
    } finally {
      setBusy(false)
    }
  }
  return {
    isBusy,
    error,
    hookErrors,
    pause: () => run((api) => api.pauseScript({ scriptId })),
    resume: () => run((api) => api.resumeScript({ scriptId })),
    remove: () => run((api) => api.deleteScript({ scriptId })),
    tagId,
  }
}

function RemoveDialog({
  name,
  onRemove,
  onClose,
  isBusy,
  error,
}: {
  name: string
  onRemove: () => void
  onClose: () => void
  isBusy: boolean
  error: unknown
}) {
  const [typed, setTyped] = useState('')
  return (
    <Dialog title={words.removeTitle(name)} onClose={onClose} look="narrow">
      <p>{words.removeText}</p>
      <label class="field">
        <span>{words.removeConfirm(name)}</span>
        <input type="text" value={typed} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <ProblemLine error={error} />
      <div class="dialogActions">
        <Button onClick={onClose}>{frameWords.cancel}</Button>
        <Button look="danger" isBusy={isBusy} isDisabled={typed !== name} onClick={onRemove}>
          {words.remove}
        </Button>
      </div>
    </Dialog>
  )
}

function Actions({ tagId, script, status }: { tagId: string; script: Script; status: ChannelStatus | undefined }) {
  const address = useAddress()
  const { route } = useLocation()
  const { scriptId, name } = script
  const actions = useActions(tagId, scriptId)
  const write = useMay('script:write')
  const remove = useMay('script:delete')
  const [isAsking, setAsking] = useState(false)
  const isStopped = script.paused || status?.state === 'keyRejected' || status?.state === 'vendorDown'
  return (
    <>
      {isStopped ? (
        <Button icon={Play} why={write.why} isBusy={actions.isBusy} onClick={() => void actions.resume()}>
          {words.resume}
        </Button>
      ) : (
        <Button icon={Pause} why={write.why} isBusy={actions.isBusy} onClick={() => void actions.pause()}>
          {words.pause}
        </Button>
      )}
      <Button icon={Trash2} look="quiet" why={remove.why} label={words.remove} onClick={() => setAsking(true)} />
      <LinkButton
        icon={status?.state === 'keyRejected' ? KeyRound : Pencil}
        look={status?.state === 'keyRejected' ? 'primary' : 'plain'}
        href={address('editChannel', { tagId, scriptId })}
        why={write.why}
      >
        {status?.state === 'keyRejected' ? words.replaceKey : words.edit}
      </LinkButton>
      {!isAsking && <ProblemLine error={actions.error} />}
      {actions.hookErrors.length > 0 && (
        <p class="warnings" role="status">
          {words.hookErrors} {actions.hookErrors.join(' · ')}
        </p>
      )}
      {isAsking && (
        <RemoveDialog
          name={name}
          isBusy={actions.isBusy}
          error={actions.error}
          onClose={() => setAsking(false)}
          onRemove={async () => {
            if (await actions.remove()) route(address('channels', { tagId }))
          }}
        />
      )}
    </>
  )
}

/** What the vendor finds a person by: the strong keys, then the medium ones. */
function useMatchKeys(providerId: string): string {
  const { me } = useHere()
  const { data } = useRead(['manifest'], (api: Client) => api.readManifest(), {
    staleMs: 600_000,
    isEnabled: me.scopes.includes('manifest:read'),
  })
  const { matchKeys = [] } = data?.providers?.find(({ value }) => value === providerId) ?? {}
  return words.matchKeys(['strong', 'medium'].map((each) => matchKeys.filter(({ strength }) => strength === each)))
}

/** How the channel stands: its state, what waits, and since when. */
function Standing({ status, script }: { status: ChannelStatus; script: Script }) {
  const { state, since, nextAt, waiting, held, oldestAt, lastDeliveredAt } = status
  const matchKeys = useMatchKeys(script.providerId)
  return (
    <Panel title={words.state}>
      <p class="stateLine">
        <ChannelState of={state} /> <span class="soft">{words.stateText[state]}</span>
      </p>
      <Facts
        of={[
          since !== undefined && [words.since, <Time key="since" at={since} />],
          nextAt !== undefined && [words.nextTry, ago(Math.max(nextAt, now.value), now.value)],
          [words.waiting, count(waiting)],
          held > 0 && [words.held, count(held)],
          oldestAt !== undefined && [words.oldest, <Time key="oldest" at={oldestAt} look="ago" />],
          [
            words.lastDelivered,
            lastDeliveredAt === undefined ? words.never : <Time key="last" at={lastDeliveredAt} look="ago" />,
          ],
          script.consentCategory !== undefined && [words.consentFact, words.category(script.consentCategory)],
          [words.regionsFact, regionSentence(parseRegionText(script.geoRegions))],
          [words.provider, script.providerId],
          matchKeys !== '' && [words.matchKeysFact, matchKeys],
        ]}
      />
    </Panel>
  )
}

const codeVariables = ['WEBHOOK_CODE', 'PLAYGROUND_CODE']

function CodePanel({ script }: { script: Script }) {
  const code = codeVariables.map((variable) => script.secrets?.[variable]?.value).find(Boolean)
  if (!code) return null
  return (
    <Panel title={words.code}>
      <Code text={code} label={words.code} isTall />
    </Panel>
  )
}

function Channel({ tagId }: { tagId: string }) {
  const scriptId = useParam('scriptId')
  const address = useAddress()
  const script = useRead(['script', scriptId], (api: Client) => api.readScript({ scriptId }), { everyMs: 30_000 })
  const channels = useRead(['channels', tagId], (api: Client) => api.listChannels({ tagId }), { everyMs: 5_000 })
  const status = channels.data?.channels.find((each) => each.scriptId === scriptId)
  return (
    <View of={script} skeleton={<Skeleton rows={6} />}>
      {(saved) => (
        <>
          <PageHead
            above={<a href={address('channels', { tagId })}>{words.channels}</a>}
            title={<bdi>{saved.name}</bdi>}
            actions={<Actions tagId={tagId} script={saved} status={status} />}
          />
          {status ? <Standing status={status} script={saved} /> : channels.isPending && <Skeleton rows={3} />}
          <Panel
            title={words.errors}
            note={words.errorsNote}
            isFlush
            actions={
              <ReplayDialogButton
                tagId={tagId}
                filter={{ scriptId, from: Date.now() - weekMs, status: ['dead', 'refused'] }}
                icon={RotateCw}
              >
                {words.replayFailed}
              </ReplayDialogButton>
            }
          >
            <ErrorList tagId={tagId} scriptId={scriptId} />
          </Panel>
          <CodePanel script={saved} />
        </>
      )}
    </View>
  )
}

/** One channel: how it stands, its errors, and what mends it. */
export default function ChannelPage() {
  return <OfTag>{({ tagId }) => <Channel tagId={tagId} />}</OfTag>
}
