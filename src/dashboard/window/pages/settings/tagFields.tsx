import type { ComponentChildren } from 'preact'
import type { TagDraft } from '#dashboard/form/tagForm.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useHere } from '../../data/here.tsx'
import { useManifest } from '../../data/tag.tsx'
import { CheckRow, type Choices, SelectField, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { AdapterFields } from './adapterFields.tsx'
import { SourceFields } from './sourceFields.tsx'
import { TcfFields } from './tcfFields.tsx'
import type { TagFormState } from './useTagForm.ts'

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

/** The minutes to choose from, with the saved one where it is another. */
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

/** Every setting of a tag but its host names and plugins. */
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
