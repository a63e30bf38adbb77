import type { ComponentChildren } from 'preact'
import type { AdapterName } from '#contract/adapterNames.ts'
import type { SourceName } from '#contract/sourceNames.ts'
import { linesOf, switchAdapter, switchSource, type TagDraft } from '#dashboard/form/tagForm.ts'
import {
  switchPurpose,
  type TcfList,
  tcfCategories,
  tcfChoiceIn,
  tcfInterestIds,
  tcfPurposeIds,
  tcfText,
} from '#dashboard/form/tcfForm.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { whySentWords } from '#dashboard/words/en/whySent.ts'
import { useHere } from '../../data/here.tsx'
import { useManifest } from '../../data/tag.tsx'
import { CheckRow, type Choices, SelectField, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { TagFormState } from './useTagForm.ts'

const adapterIds = Object.keys(words.adapters) as AdapterName[]

/** The adapters that pages load with the SDK, and which one is primary if a page has several. */
function AdapterFields({ form }: { form: TagFormState }) {
  const chosen = linesOf(form.draft.adapters)
  const { primaryAdapter } = form.draft
  const offered = adapterIds.filter((name) => chosen.includes(name) || name === primaryAdapter)
  return (
    <Panel title={words.labels.adapters} note={words.adaptersHint}>
      {adapterIds.map((name) => (
        <CheckRow
          key={name}
          label={words.adapters[name]}
          name={`adapters.${name}`}
          value={chosen.includes(name)}
          onChange={(isOn) => form.change(switchAdapter(form.draft, name, isOn))}
        />
      ))}
      {form.issues.adapters && <p class="fieldIssue">{form.issues.adapters}</p>}
      {chosen.length > 0 && (
        <>
          <SelectField
            {...form.field('primaryAdapter')}
            label={words.labels.primaryAdapter}
            help={words.primaryHint}
            options={[['none', words.noPrimary], ...offered.map((name) => [name, words.adapters[name]] as const)]}
          />
          <CheckRow {...form.field('passEventId')} label={words.passEventIdText} />
        </>
      )}
    </Panel>
  )
}

type PurposesProps = { form: TagFormState; list: TcfList; ids: readonly number[] }

/** A list of purposes, each selected or not. */
function Purposes({ form, list, ids }: PurposesProps) {
  const chosen = tcfChoiceIn(form.draft.tcf)[list]
  return (
    <fieldset class="field">
      <legend>{words.tcfLists[list]}</legend>
      <div class="radios">
        {ids.map((id) => (
          <CheckRow
            key={id}
            name={`tcf.${list}.${id}`}
            label={whySentWords.purpose(id)}
            value={chosen.includes(id)}
            onChange={(isOn) => form.change({ tcf: switchPurpose(form.draft.tcf, { list, id, isOn }) })}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** What a TC string must allow. Collapsed, because most tags keep the defaults. */
function TcfFields({ form }: { form: TagFormState }) {
  const choice = tcfChoiceIn(form.draft.tcf)
  const change = (next: Partial<typeof choice>) => form.change({ tcf: tcfText({ ...choice, ...next }) })
  return (
    <Panel title={words.labels.tcf} note={words.tcfHint}>
      <details open={form.issues.tcf !== undefined}>
        <summary>{words.tcfShow}</summary>
        <div class="stack">
          {tcfCategories.map((list) => (
            <Purposes key={list} form={form} list={list} ids={tcfPurposeIds} />
          ))}
          <Purposes form={form} list="interest" ids={tcfInterestIds} />
          <CheckRow
            name="tcf.requireVendor"
            label={words.tcfVendor}
            value={choice.requireVendor}
            onChange={(requireVendor) => change({ requireVendor })}
          />
          <TextField
            name="tcf.maxAgeDays"
            label={words.tcfDays}
            help={words.tcfDaysHint}
            issue={form.issues.tcf}
            inputMode="decimal"
            value={choice.maxAgeDays}
            onChange={(maxAgeDays) => change({ maxAgeDays })}
          />
        </div>
      </details>
    </Panel>
  )
}

const names = Object.keys(words.sources) as SourceName[]

/** The protocols of other products that the tag URL accepts. */
function SourceFields({ form }: { form: TagFormState }) {
  const chosen = linesOf(form.draft.sources)
  return (
    <Panel title={words.labels.sources} note={words.sourcesHint}>
      {names.map((name) => (
        <CheckRow
          key={name}
          label={words.sources[name]}
          name={`sources.${name}`}
          value={chosen.includes(name)}
          onChange={(isOn) => form.change({ sources: switchSource(form.draft.sources, name, isOn) })}
        />
      ))}
      {form.issues.sources && <p class="fieldIssue">{form.issues.sources}</p>}
    </Panel>
  )
}

type TextName = 'name' | 'domain' | 'allowedOrigins' | 'defaultCountry'
type ChoiceName = Exclude<
  keyof TagDraft,
  TextName | 'gpc' | 'tcf' | 'sources' | 'adapters' | 'primaryAdapter' | 'passEventId'
>
type Part = { form: TagFormState }

type Explained = Part & { help?: ComponentChildren }

const Text = ({ form, name, help, rows }: Explained & { name: TextName; rows?: number }) => (
  <TextField {...form.field(name)} label={words.labels[name]} help={help} rows={rows} />
)

const Select = ({ form, name, values, help }: Explained & { name: ChoiceName; values: Choices }) => (
  <SelectField<string> {...form.field(name)} label={words.labels[name]} help={help} options={values} />
)

const holds = ['off', 1, 2, 5, 10, 15, 20, 30] as const
const holdText = (value: 'off' | number) => (value === 'off' ? words.holdOff : words.holdFor(value))

/** The minutes to choose from, with the saved value if it is another one. */
const holdsWith = (saved: string) => {
  const known = holds.map((value) => [`${value}`, holdText(value)] as const)
  return known.some(([value]) => value === saved) ? known : [...known, [saved, holdText(Number(saved))] as const]
}

function Versions({ form }: Part) {
  const { me } = useHere()
  const { data } = useManifest(me.scopes.includes('manifest:read'))
  const choices = (versions: readonly string[] | undefined, chosen: string) => {
    const numbered = [...new Set([...(versions ?? []).filter((each) => each !== 'latest'), chosen])].filter(
      (each) => each !== 'latest',
    )
    const newest = versions?.find((each) => each !== 'latest')
    return [['latest', words.latest(newest)] as const, ...numbered.map((each) => [each, each] as const)]
  }
  return (
    <Panel title={words.versions}>
      <Select form={form} name="sdkVersion" values={choices(data?.sdkVersions, form.draft.sdkVersion)} />
      <Select form={form} name="edgeVersion" values={choices(data?.edgeVersions, form.draft.edgeVersion)} />
    </Panel>
  )
}

/** Every setting of a tag except host names and plugins. */
export function TagFields({ form }: Part) {
  return (
    <>
      <Panel title={words.general}>
        <Text form={form} name="name" />
        <Text form={form} name="domain" help={words.domainHint} />
        <Text form={form} name="defaultCountry" help={words.countryHint} />
      </Panel>
      <Panel title={words.access}>
        <Text form={form} name="allowedOrigins" help={words.originsHint} rows={4} />
        <Select
          form={form}
          name="serverToken"
          values={Object.entries(words.serverTokens)}
          help={words.serverTokenHint}
        />
      </Panel>
      <Panel title={words.consentTitle}>
        <Select form={form} name="consent" values={Object.entries(words.consents)} />
        <CheckRow {...form.field('gpc')} label={words.gpcText} />
        <Select form={form} name="saleOptOut" values={Object.entries(words.saleOptOuts)} help={words.saleOptOutHint} />
        <Select
          form={form}
          name="captureBeforeConsent"
          values={Object.entries(words.captures)}
          help={words.capturesHint}
        />
        <Select form={form} name="hold" values={holdsWith(form.draft.hold)} />
        <Select
          form={form}
          name="sameSite"
          values={['Lax', 'Strict', 'None'].map((value) => [value, value] as const)}
          help={words.sameSiteHint}
        />
      </Panel>
      <TcfFields form={form} />
      <SourceFields form={form} />
      <AdapterFields form={form} />
      <Versions form={form} />
    </>
  )
}
