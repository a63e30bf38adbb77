import { useState } from 'preact/hooks'
import type { ConsentCategory, Script } from '#contract/script.ts'
import type { ProviderRow } from '#dashboard/form/channelForm.ts'
import { parseRegionText, regionSentence } from '#dashboard/form/regions.ts'
import { scriptWriteOf } from '#dashboard/form/scriptWrite.ts'
import { consentWords as words } from '#dashboard/words/en/consent.ts'
import { useAction } from '../../data/action.ts'
import { callsOf, useAddress, useHere, useMay } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { RegionsDialog } from './regionsDialog.tsx'

const categories: readonly ConsentCategory[] = ['necessary', 'functional', 'analytics', 'advertising']
/** The chosen category of each script that differs from the saved one. */
type Choices = Readonly<Record<string, ConsentCategory>>
export type MatrixOf = { tagId: string; scripts: readonly Script[]; providers: readonly ProviderRow[] }

const providerOf = (providers: readonly ProviderRow[], { providerId }: Script) =>
  providers.find(({ value }) => value === providerId)
const chosenOf = ({ scriptId, consentCategory }: Script, choices: Choices) => choices[scriptId] ?? consentCategory

/** Saves the changed channels one after the other, each on the version that was read. */
function useSave({ tagId, scripts, providers }: MatrixOf, choices: Choices, onSaved: () => void) {
  const here = useHere()
  const action = useAction('scripts', 'script', 'channels', 'deployments', 'draft')
  const [isSaved, setSaved] = useState(false)
  const save = async () => {
    const done = await action.run(async () => {
      for (const script of scripts) {
        const consentCategory = choices[script.scriptId]
        if (!consentCategory) continue
        const body = scriptWriteOf(script, tagId, providerOf(providers, script), { consentCategory })
        await callsOf(here).updateScript({ scriptId: script.scriptId, body, ifMatch: script.version })
      }
      return true
    })
    if (done) onSaved()
    setSaved(done === true)
  }
  return { action, isSaved, forget: () => setSaved(false), save }
}

function Row({
  script,
  of,
  choices,
  onChoose,
  onRegions,
}: {
  script: Script
  of: MatrixOf
  choices: Choices
  onChoose: (category: ConsentCategory) => void
  onRegions: () => void
}) {
  const address = useAddress()
  const { may } = useMay('script:write')
  const provider = providerOf(of.providers, script)
  const { scriptId, name, geoRegions } = script
  return (
    <tr>
      <th scope="row">
        <a href={address('channel', { tagId: of.tagId, scriptId })}>
          <bdi>{name}</bdi>
        </a>
      </th>
      {categories.map((category) => {
        const isOffered = provider?.consentCategory?.includes(category) ?? false
        return (
          <td key={category} class="matrixCell" data-label={words.category(category)}>
            <input
              type="radio"
              name={`category ${scriptId}`}
              aria-label={words.choose(name, category)}
              title={isOffered ? undefined : words.notOffered}
              checked={chosenOf(script, choices) === category}
              disabled={!isOffered || !may}
              onChange={() => onChoose(category)}
            />
          </td>
        )
      })}
      <td data-label={words.regions}>
        <span class="soft">{regionSentence(parseRegionText(geoRegions))}</span>{' '}
        {!provider?.hideGeoRegions && may && (
          <button type="button" class="linkButton" aria-label={words.regionsChange(name)} onClick={onRegions}>
            {words.change}
          </button>
        )}
      </td>
    </tr>
  )
}

/** What each agreement of a visitor leads to, as sentences. */
function Sentences({ scripts, choices }: { scripts: readonly Script[]; choices: Choices }) {
  return (
    <Panel title={words.sentences}>
      <ul class="lineList" aria-live="polite">
        {categories.map((category) => (
          <li key={category}>
            {words.reaches(
              category,
              scripts.filter((script) => chosenOf(script, choices) === category).map(({ name }) => name),
            )}
          </li>
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
        {isSaved && count === 0 ? <span class="saved">{words.saved}</span> : words.changed(count)}
      </p>
      <Button look="quiet" isDisabled={count === 0} onClick={onUndo}>
        {words.undo}
      </Button>
      <Button look="primary" why={why} isBusy={action.isBusy} isDisabled={count === 0} onClick={() => void save()}>
        {words.save}
      </Button>
    </div>
  )
}

/** Channels by the category that they need; the changes are saved together. */
export function ConsentMatrix(of: MatrixOf) {
  const [choices, setChoices] = useState<Choices>({})
  const [regionsOf, setRegionsOf] = useState<Script>()
  const { scripts, tagId, providers } = of
  const saving = useSave(of, choices, () => setChoices({}))
  const choose = (script: Script, category: ConsentCategory) => {
    const { [script.scriptId]: _, ...others } = choices
    saving.forget()
    setChoices(script.consentCategory === category ? others : { ...others, [script.scriptId]: category })
  }
  return (
    <>
      <Panel title={words.matrix} note={words.matrixNote} isFlush>
        <table class="table cards matrix" aria-label={words.matrix}>
          <thead>
            <tr>
              <th scope="col">{words.channel}</th>
              {categories.map((category) => (
                <th key={category} scope="col" class="matrixCell">
                  {words.category(category)}
                </th>
              ))}
              <th scope="col">{words.regions}</th>
            </tr>
          </thead>
          <tbody>
            {scripts.map((script) => (
              <Row
                key={script.scriptId}
                script={script}
                of={of}
                choices={choices}
                onChoose={(category) => choose(script, category)}
                onRegions={() => setRegionsOf(script)}
              />
            ))}
          </tbody>
        </table>
      </Panel>
      <Sentences scripts={scripts} choices={choices} />
      <Foot count={Object.keys(choices).length} saving={saving} onUndo={() => setChoices({})} />
      {regionsOf && (
        <RegionsDialog
          tagId={tagId}
          script={regionsOf}
          provider={providerOf(providers, regionsOf)}
          onClose={() => setRegionsOf(undefined)}
        />
      )}
    </>
  )
}
