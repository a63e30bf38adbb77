import { useState } from 'preact/hooks'
import type { ConsentCategory, Script } from '#contract/script.ts'
import type { ProviderRow } from '#dashboard/form/channelForm.ts'
import { hasLiveVersion, notLiveOf } from '#dashboard/form/notLive.ts'
import { parseRegionText, regionSentence } from '#dashboard/form/regions.ts'
import { channelWords } from '#dashboard/words/en/channels.ts'
import { consentWords as words } from '#dashboard/words/en/consent.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAction } from '../../data/action.ts'
import { callsOf, useAddress, useHere, useMay } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { FormDialog } from '../../parts/formDialog.tsx'
import { NotLiveMark, SavedValue } from '../../parts/notLive.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { RegionField } from '../channels/regionField.tsx'

/** The regions of one channel, with a sentence that explains them. */
const RegionsDialog = ({ script, onClose }: { script: Script; onClose: () => void }) => (
  <FormDialog
    title={words.regionsTitle(script.name)}
    label={frameWords.saveDeploy}
    start={{ geoRegions: script.geoRegions ?? '' }}
    changes={['scripts', 'script', 'deployments', 'draft']}
    call={(api, { geoRegions }) => {
      const body = { geoRegions: geoRegions.trim() || null }
      return api.patchScript({ scriptId: script.scriptId, body, ifMatch: script.version })
    }}
    onClose={onClose}
  >
    {({ field }) => <RegionField {...field('geoRegions')} />}
  </FormDialog>
)

const categories: readonly ConsentCategory[] = ['necessary', 'functional', 'analytics', 'advertising']
/** The chosen category of each script that differs from the saved one. */
type Choices = Readonly<Record<string, ConsentCategory>>
type MatrixOf = { tagId: string; scripts: readonly Script[]; providers: readonly ProviderRow[] }

const providerOf = (providers: readonly ProviderRow[], { providerId }: Script) =>
  providers.find(({ value }) => value === providerId)
/** The saved consent category of a channel; without one, the first that its provider offers. */
const savedOf = (providers: readonly ProviderRow[], script: Script) =>
  script.consentCategory ?? providerOf(providers, script)?.consentCategory?.[0]
/** The live category of a channel, if it differs from the saved one. */
const liveOf = ({ providers }: Pick<MatrixOf, 'providers'>, script: Script) => {
  const difference = hasLiveVersion(script) ? notLiveOf(script, 'consentCategory') : undefined
  return difference && (difference.before ?? providerOf(providers, script)?.consentCategory?.[0])
}
/** The category that applies now; undefined for a channel that is not live. */
const liveNow = (of: Pick<MatrixOf, 'providers'>, script: Script) =>
  hasLiveVersion(script) ? (liveOf(of, script) ?? savedOf(of.providers, script)) : undefined
const chosenOf = ({ providers }: Pick<MatrixOf, 'providers'>, script: Script, choices: Choices) =>
  choices[script.scriptId] ?? savedOf(providers, script)

/** Saves the changed channels one by one, each based on the version that was read. */
function useSave({ scripts }: MatrixOf, choices: Choices, onSaved: () => void) {
  const here = useHere()
  const action = useAction('scripts', 'script', 'channels', 'deployments', 'draft')
  const [isSaved, setSaved] = useState(false)
  const save = async () => {
    const done = await action.run(async () => {
      for (const script of scripts) {
        const consentCategory = choices[script.scriptId]
        if (!consentCategory) continue
        const { scriptId, version } = script
        await callsOf(here).patchScript({ scriptId, body: { consentCategory }, ifMatch: version })
      }
      return true
    })
    if (done) onSaved()
    setSaved(done === true)
  }
  return { action, isSaved, forget: () => setSaved(false), save }
}

type MatrixProps = {
  of: MatrixOf
  choices: Choices
  onChoose: (script: Script, category: ConsentCategory) => void
  onRegions: (script: Script) => void
}

/** A row for each channel, with a choice of the categories that its provider offers. */
function Matrix({ of, choices, onChoose, onRegions }: MatrixProps) {
  const address = useAddress()
  const { may } = useMay('script:write')
  const nameCell = ({ scriptId, name, isDraft }: Script) => (
    <>
      <a href={address('channel', { tagId: of.tagId, scriptId })}>
        <bdi>{name}</bdi>
      </a>
      {isDraft && <NotLiveMark />}
    </>
  )
  const categoryCell = (category: ConsentCategory) => (script: Script) => {
    const isOffered = providerOf(of.providers, script)?.consentCategory?.includes(category) ?? false
    return (
      <>
        <input
          type="radio"
          name={`category ${script.scriptId}`}
          aria-label={words.choose(script.name, category)}
          title={isOffered ? undefined : words.notOffered}
          checked={chosenOf(of, script, choices) === category}
          disabled={!isOffered || !may}
          onChange={() => onChoose(script, category)}
        />
        {liveOf(of, script) === category && <small class="soft">{words.isLive}</small>}
      </>
    )
  }
  const regionsCell = (script: Script) => (
    <>
      <span class="soft">
        <SavedValue of={script} name="geoRegions" text={regionSentence(parseRegionText(script.geoRegions))} />
      </span>{' '}
      {!providerOf(of.providers, script)?.hideGeoRegions && may && (
        <button
          type="button"
          class="linkButton"
          aria-label={words.regionsChange(script.name)}
          onClick={() => onRegions(script)}
        >
          {words.change}
        </button>
      )}
    </>
  )
  return (
    <Cards
      variant="cards matrix"
      label={words.matrix}
      columns={[
        { name: 'channel', label: frameWords.title.channel, cell: nameCell },
        ...categories.map((name) => ({ name, label: channelWords.category(name), cell: categoryCell(name) })),
        { name: 'regions', label: frameWords.regions, cell: regionsCell },
      ]}
      rows={of.scripts}
      keyOf={({ scriptId }) => scriptId}
    />
  )
}

/** The names of a category's channels; for channels that move, also when they get events by it. */
const reachedBy = (of: MatrixOf, choices: Choices, category: ConsentCategory): string[] =>
  of.scripts.flatMap((script) => {
    const isChosen = chosenOf(of, script, choices) === category
    const isLive = liveNow(of, script) === category
    if (isChosen) return isLive ? script.name : words.notYet(script.name)
    return isLive ? words.until(script.name) : []
  })

/** The effect of each consent of a visitor, as sentences. */
function Sentences({ of, choices }: { of: MatrixOf; choices: Choices }) {
  return (
    <Panel title={words.sentences}>
      <ul class="lineList" aria-live="polite">
        {categories.map((category) => (
          <li key={category}>{words.reaches(category, reachedBy(of, choices, category))}</li>
        ))}
      </ul>
    </Panel>
  )
}

type FootProps = { count: number; saving: ReturnType<typeof useSave>; onUndo: () => void }

function Foot({ count, saving: { action, isSaved, save }, onUndo }: FootProps) {
  const { why } = useMay('script:write')
  return (
    <div class="formActions">
      <ProblemLine error={action.error} />
      <p class="soft" role="status">
        {isSaved && count === 0 ? <span class="saved">{frameWords.savedLive}</span> : words.changed(count)}
      </p>
      <Button variant="quiet" isDisabled={count === 0} onClick={onUndo}>
        {frameWords.undo}
      </Button>
      <Button variant="primary" why={why} isBusy={action.isBusy} isDisabled={count === 0} onClick={() => void save()}>
        {frameWords.saveDeploy}
      </Button>
    </div>
  )
}

/** Channels by required category; changes are saved together. */
export function ConsentMatrix(of: MatrixOf) {
  const [choices, setChoices] = useState<Choices>({})
  const [regionsOf, setRegionsOf] = useState<Script>()
  const saving = useSave(of, choices, () => setChoices({}))
  const choose = (script: Script, category: ConsentCategory) => {
    const { [script.scriptId]: _, ...others } = choices
    saving.forget()
    setChoices(savedOf(of.providers, script) === category ? others : { ...others, [script.scriptId]: category })
  }
  return (
    <>
      <Panel title={words.matrix} note={words.matrixNote} isFlush>
        <Matrix of={of} choices={choices} onChoose={choose} onRegions={setRegionsOf} />
      </Panel>
      <Sentences of={of} choices={choices} />
      <Foot count={Object.keys(choices).length} saving={saving} onUndo={() => setChoices({})} />
      {regionsOf && <RegionsDialog script={regionsOf} onClose={() => setRegionsOf(undefined)} />}
    </>
  )
}
