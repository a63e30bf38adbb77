import { KeyRound, Pause, Pencil, Play, RotateCw, Trash2 } from 'lucide'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { ChannelStatus } from '#contract/channel.ts'
import type { Client } from '#contract/client.ts'
import type { Script } from '#contract/script.ts'
import { notLiveOf } from '#dashboard/form/notLive.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { callsOf, keyOf, useAddress, useHere, useMay, useRead } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { OfTag, useParam } from '../../data/tag.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { NotLiveMark, NotLiveNotice } from '../../parts/notLive.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { RangePicker } from '../../parts/rangePicker.tsx'
import { ReplayDialogButton } from '../../parts/replayDialog.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { ChannelCharts, Standing, useChannelStats, WebhookAddress } from './channelStatus.tsx'
import { ErrorList } from './errorList.tsx'
import { SavedNotice } from './savedNotice.tsx'
import { Runs } from './webhookRuns.tsx'

const weekMs = 604_800_000

/** Pauses, resumes and deletes; each asks what cannot be taken back. */
function useActions(tagId: string, scriptId: string) {
  const here = useHere()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [hookErrors, setHookErrors] = useState<readonly string[]>([])
  const run = async (call: (api: Client) => Promise<object & { errors?: string[] }>): Promise<boolean> => {
    setBusy(true)
    setError(undefined)
    try {
      setHookErrors((await call(callsOf(here))).errors ?? [])
      for (const name of ['channels', 'script', 'scripts', 'draft'])
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
  const isRejected = status?.state === 'keyRejected'
  const isStopped = script.paused || isRejected || status?.state === 'vendorDown'
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
      <LinkButton icon={Pencil} href={address('editChannel', { tagId, scriptId })} why={write.why}>
        {words.edit}
      </LinkButton>
      {isRejected && (
        <LinkButton
          icon={KeyRound}
          look="primary"
          href={address('editChannel', { tagId, scriptId }, { field: 'key' })}
          why={write.why}
        >
          {words.replaceKey}
        </LinkButton>
      )}
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

const codeVariables = ['WEBHOOK_CODE', 'PLAYGROUND_CODE']

function CodePanel({ script }: { script: Script }) {
  const variable = codeVariables.find((each) => script.secrets?.[each]?.value)
  const code = variable && script.secrets?.[variable]?.value
  if (!code) return null
  return (
    <Panel title={words.code} actions={notLiveOf(script, `secrets.${variable}`) && <NotLiveMark />}>
      <Code text={code} label={words.code} isTall />
    </Panel>
  )
}

function Channel({ tagId }: { tagId: string }) {
  const scriptId = useParam('scriptId')
  const address = useAddress()
  const script = useRead(['script', scriptId], (api: Client) => api.readScript({ scriptId }), { everyMs: 30_000 })
  const channels = useRead(['channels', tagId], (api: Client) => api.listChannels({ tagId }), { everyMs: 5_000 })
  const own = useChannelStats(tagId, scriptId).data?.byScript.find((each) => each.scriptId === scriptId)
  const status = channels.data?.channels.find((each) => each.scriptId === scriptId)
  return (
    <View of={script} skeleton={<Skeleton rows={6} />}>
      {(saved) => (
        <>
          <PageHead
            above={<a href={address('channels', { tagId })}>{words.channels}</a>}
            title={<bdi>{saved.name}</bdi>}
            actions={
              <>
                <RangePicker fallback="24h" />
                <Actions tagId={tagId} script={saved} status={status} />
              </>
            }
          />
          <SavedNotice scriptId={scriptId} />
          <NotLiveNotice tagId={tagId} scriptId={scriptId} of={saved} />
          {status ? <Standing status={status} script={saved} own={own} /> : channels.isPending && <Skeleton rows={3} />}
          <WebhookAddress tagId={tagId} script={saved} />
          {saved.providerId === 'webhook' && <Runs tagId={tagId} scriptId={scriptId} />}
          <ChannelCharts tagId={tagId} scriptId={scriptId} />
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
