import { CircleCheck, KeyRound, Pause, Pencil, Play, RotateCw, Trash2 } from 'lucide'
import { useLocation } from 'preact-iso/router'
import type { ChannelStatus } from '#contract/channel.ts'
import type { Script } from '#contract/script.ts'
import { notLiveOf } from '#dashboard/form/notLive.ts'
import { type ErrorGroup, errorGroups } from '#dashboard/list/errorGroups.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { ruleBuilderWords } from '#dashboard/words/en/ruleBuilder.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count } from '#dashboard/words/format.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useMay, useRead } from '../../data/here.tsx'
import { useParam } from '../../data/tag.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Code } from '../../parts/code.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { NotLiveMark, NotLiveNotice } from '../../parts/notLive.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { RangePicker } from '../../parts/rangePicker.tsx'
import { ReplayDialogButton } from '../../parts/replayDialog.tsx'
import { Time } from '../../parts/time.tsx'
import { Note, ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { ChannelCharts, Standing, useChannelStats, WebhookAddress } from './channelStatus.tsx'
import { lastSave } from './lastSave.ts'
import { Runs } from './webhookRuns.tsx'

/** Maximum number of failed deliveries that are grouped; more are shown as "1,000+". */
const mostRows = 1_000
const weekMs = 604_800_000
const errorReasons = [
  'keyRejected',
  'payloadRefused',
  'addressNotAllowed',
  'vendorDown',
  'throttled',
  'poison',
  'expired',
] as const

/** The failed deliveries of a channel by message, with links to them. */
function ErrorList({ tagId, scriptId }: { tagId: string; scriptId: string }) {
  const address = useAddress()
  const reading = useRead(
    ['errors', tagId, scriptId],
    (api) =>
      api.listDeliveries({
        tagId,
        scriptId,
        reason: [...errorReasons],
        from: Math.floor((Date.now() - weekMs) / 60_000) * 60_000,
        limit: mostRows,
      }),
    { everyMs: 15_000 },
  )
  const messageCell = ({ message, httpStatus, reason }: ErrorGroup) => {
    const filter = { channel: scriptId, reason, http: httpStatus === undefined ? undefined : `${httpStatus}` }
    return (
      <>
        <a class="rowLink" title={message} href={address('deliveries', { tagId }, filter)}>
          {message ?? (reason ? statusWords.reason(reason) : words.noMessage)}
        </a>
        {message && reason && <small class="soft">{statusWords.reason(reason)}</small>}
      </>
    )
  }
  return (
    <View of={reading} skeleton={<Skeleton rows={3} />}>
      {({ deliveries, next }) => {
        const groups = errorGroups(deliveries)
        if (groups.length === 0) return <Note icon={CircleCheck} title={words.noErrors} />
        return (
          <Cards
            variant="rows errorTable"
            label={words.errors}
            columns={[
              { name: 'message', label: words.errorMessage, cell: messageCell },
              {
                name: 'count',
                label: frameWords.title.deliveries,
                isNumber: true,
                cell: (group) => `${count(group.count)}${next === undefined ? '' : '+'}`,
              },
              {
                name: 'last',
                label: words.errorLast,
                isNumber: true,
                cell: ({ lastAt }) => <Time at={lastAt} format="ago" />,
              },
            ]}
            rows={groups}
            keyOf={({ key }) => key}
          />
        )
      }}
    </View>
  )
}

/** The effect of the save that led to this page, and its warnings. */
function SavedNotice({ scriptId }: { scriptId: string }) {
  const saved = lastSave.value
  if (saved?.scriptId !== scriptId) return null
  const { affected, warnings = [] } = saved
  if (!affected && warnings.length === 0) return null
  return (
    <div class="warnings" role="status">
      {affected && <p>{ruleBuilderWords.affected(affected.events, affected.before, affected.after)}</p>}
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </div>
  )
}

/** The reads to refresh after a change of the channel. */
const changes = ['channels', 'script', 'scripts', 'draft']

function Remove({ tagId, script: { scriptId, name } }: { tagId: string; script: Script }) {
  const { why } = useMay('script:delete')
  const { route } = useLocation()
  const address = useAddress()
  return (
    <ConfirmButton
      button={{ icon: Trash2, variant: 'quiet', why, label: frameWords.delete }}
      title={frameWords.deleteTitle(name)}
      label={frameWords.delete}
      typed={{ text: name, label: frameWords.deleteConfirm(name) }}
      changes={changes}
      call={(api) => api.deleteScript({ scriptId })}
      onDone={() => route(address('channels', { tagId }))}
      text={words.removeText}
    />
  )
}

/** Pauses, resumes and deletes; asks before an action that cannot be undone. */
function Actions({ tagId, script, status }: { tagId: string; script: Script; status: ChannelStatus | undefined }) {
  const address = useAddress()
  const { scriptId } = script
  const action = useAction(...changes)
  const write = useMay('script:write')
  const isRejected = status?.state === 'keyRejected'
  const isStopped = script.paused || isRejected || status?.state === 'vendorDown'
  const toggle = () =>
    void action.run((api) => (isStopped ? api.resumeScript({ scriptId }) : api.pauseScript({ scriptId })))
  return (
    <>
      <Button icon={isStopped ? Play : Pause} why={write.why} isBusy={action.isBusy} onClick={toggle}>
        {isStopped ? words.resume : frameWords.pause}
      </Button>
      <Remove tagId={tagId} script={script} />
      <LinkButton icon={Pencil} href={address('editChannel', { tagId, scriptId })} why={write.why}>
        {words.settings}
      </LinkButton>
      {isRejected && (
        <LinkButton
          icon={KeyRound}
          variant="primary"
          href={address('editChannel', { tagId, scriptId }, { field: 'key' })}
          why={write.why}
        >
          {frameWords.replaceKey}
        </LinkButton>
      )}
      <ProblemLine error={action.error} />
    </>
  )
}

const codeVariables = ['WEBHOOK_CODE', 'PLAYGROUND_CODE']

function CodePanel({ script }: { script: Script }) {
  const variable = codeVariables.find((each) => script.secrets?.[each]?.value)
  const code = variable && script.secrets?.[variable]?.value
  if (!code) return null
  return (
    <Panel title={frameWords.code} actions={notLiveOf(script, `secrets.${variable}`) && <NotLiveMark />}>
      <Code text={code} label={frameWords.code} isTall />
    </Panel>
  )
}

function Channel({ tagId }: { tagId: string }) {
  const scriptId = useParam('scriptId')
  const address = useAddress()
  const script = useRead(['script', scriptId], (api) => api.readScript({ scriptId }), { everyMs: 30_000 })
  const channels = useRead(['channels', tagId], (api) => api.listChannels({ tagId }), { everyMs: 5_000 })
  const own = useChannelStats(tagId, scriptId).data?.byScript.find((each) => each.scriptId === scriptId)
  const status = channels.data?.channels.find((each) => each.scriptId === scriptId)
  return (
    <View of={script} skeleton={<Skeleton rows={6} />}>
      {(saved) => (
        <>
          <PageHead
            above={<a href={address('channels', { tagId })}>{frameWords.title.channels}</a>}
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

/** One channel: its state, its errors, and how to fix them. */
export default tagPage(Channel)
