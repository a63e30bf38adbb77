import { Send } from 'lucide'
import { useState } from 'preact/hooks'
import type { TestJourney } from '#contract/testEvent.ts'
import { sampleEvent } from '#dashboard/form/sampleEvent.ts'
import { installWords as words } from '#dashboard/words/en/install.ts'
import { callsOf, useHere, useMay } from '../../data/here.tsx'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { TestResult } from '../channels/testResult.tsx'

/** Sends a test event to every channel of the tag, for who has no site at hand. */
export function TestEvent({ tagId }: { tagId: string }) {
  const here = useHere()
  const { why } = useMay('script:write', 'event:write')
  const nameOf = useChannelName(tagId)
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<TestJourney>()
  const [error, setError] = useState<unknown>()
  const send = async () => {
    setBusy(true)
    setError(undefined)
    await callsOf(here)
      .testTag({ tagId, body: { event: sampleEvent('PageView'), send: true } })
      .then(setResult, setError)
    setBusy(false)
  }
  return (
    <Panel
      title={words.noSite}
      note={words.testNote}
      actions={
        <Button icon={Send} why={why} isBusy={isBusy} onClick={send}>
          {words.sendTest}
        </Button>
      }
    >
      <ProblemLine error={error} />
      {result && <TestResult journey={result} nameOf={nameOf} />}
    </Panel>
  )
}
