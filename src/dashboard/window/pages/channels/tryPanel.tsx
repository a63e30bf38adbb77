import { FlaskConical, Send } from 'lucide'
import { useState } from 'preact/hooks'
import type { Script } from '#contract/script.ts'
import type { TestJourney } from '#contract/testEvent.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import {
  brokenFields,
  type ChannelDraft as ChannelFormDraft,
  changedFields,
  missingFields,
  type ProviderRow,
  sealFields,
} from '#dashboard/form/channelForm.ts'
import { type SampleName, sampleEvent, sampleNames } from '#dashboard/form/sampleEvent.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { callsOf, type HereValue, useHere, useMay } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Options } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { TestResult } from './testResult.tsx'

type TryProps = { tagId: string; provider: ProviderRow; draft: ChannelFormDraft; script?: Script | undefined }

/** Plans or sends a test event with the form's values. Seals secrets here; stored secrets stay on the server. */
export async function tryDraft(
  here: HereValue,
  { tagId, provider, draft, script }: TryProps,
  name: SampleName,
  send: boolean,
): Promise<TestJourney> {
  const sealFor = { environment: here.environment, teamId: here.teamId, key: here.me.encryptionKey }
  const secrets = await sealFields(provider, changedFields(provider, draft, script), draft, sealFor)
  const asked = {
    ...(script && { scriptId: script.scriptId }),
    name: draft.name,
    providerId: provider.value as Script['providerId'],
    consentCategory: draft.consentCategory || null,
    geoRegions: draft.geoRegions.trim() || null,
    purchaseValueMode: draft.purchaseValueMode,
    ...{ filter: null, rename: null, map: null, sample: null, ...draft.rules },
    secrets,
  }
  return callsOf(here).testTag({ tagId, body: { event: sampleEvent(name), draft: asked, send } })
}

/** Tests the form as it is. */
function useTry({ tagId, provider, draft, script }: TryProps) {
  const here = useHere()
  const [busy, setBusy] = useState<'preview' | 'test' | undefined>()
  const [result, setResult] = useState<{ journey: TestJourney; isPreview: boolean }>()
  const [error, setError] = useState<unknown>()
  const run = async (name: SampleName, send: boolean) => {
    setBusy(send ? 'test' : 'preview')
    setError(undefined)
    try {
      setResult({ journey: await tryDraft(here, { tagId, provider, draft, script }, name, send), isPreview: !send })
    } catch (problem) {
      setResult(undefined)
      setError(problem)
    }
    setBusy(undefined)
  }
  return { busy, result, error, run }
}

/** Preview and test of the form before it is saved. */
export function TryPanel(props: TryProps) {
  const [name, setName] = useState<SampleName>('Purchase')
  const { why } = useMay('script:write', 'event:write')
  const { busy, result, error, run } = useTry(props)
  const isMissing = [missingFields, brokenFields].some((of) => of(props.provider, props.draft).length > 0)
  const reason = why ?? (isMissing ? words.fillFirst : undefined)
  const [issue] = issuesOf(error)
  return (
    <Panel title={words.tryTitle} note={words.tryNote}>
      <div class="row tryRow">
        <label>
          <span class="hidden">{frameWords.title.event}</span>
          <select value={name} onChange={(event) => setName(event.currentTarget.value as SampleName)}>
            <Options of={sampleNames.map((each) => [each, each])} />
          </select>
        </label>
        <Button icon={FlaskConical} why={reason} isBusy={busy === 'preview'} onClick={() => void run(name, false)}>
          {words.previewRun}
        </Button>
        <Button icon={Send} why={reason} isBusy={busy === 'test'} onClick={() => void run(name, true)}>
          {words.testRun}
        </Button>
      </div>
      <p class="hint">{words.testNote}</p>
      {issue ? <p class="fieldIssue">{`${issue.path} ${issue.message}`}</p> : <ProblemLine error={error} />}
      {result && <TestResult {...result} />}
    </Panel>
  )
}
