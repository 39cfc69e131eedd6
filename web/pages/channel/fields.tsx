/** The form fields of a notification channel, with setup steps for its type. */
import { MAX_WEBHOOK_HEADERS } from '../../../src/shared/limits.ts'
import { CheckField, TextField } from '../../components/field.tsx'
import { GoLiveNotice } from '../../components/go-live-notice.tsx'
import { HeaderFields } from '../../components/header-fields.tsx'
import { canSend } from '../../lib/boot.ts'
import type { Channel, ChannelType } from '../../lib/channels.ts'
import type { Form } from '../../lib/use-form.ts'
import { TransportNote } from '../channels/transport-note.tsx'
import { SecretField } from './secret-field.tsx'
import { type ChannelFieldInfo, channelTypeInfo } from './type-info.ts'
import { type ChannelFormValues, getFieldText, hasNewDestination, setFieldText } from './values.ts'

interface ChannelFieldsProps {
  type: ChannelType
  form: Pick<Form<ChannelFormValues>, 'values' | 'set'>
  errorsFor: (name: string) => readonly string[] | undefined
  /** Undefined for a new channel. */
  channel?: Channel
}

/** The error notice of the form omits the errors of these fields, because each field displays its own errors. */
export const listChannelFieldNames = (type: ChannelType) => [
  'name',
  'assign_by_default',
  'headers',
  ...channelTypeInfo[type].fields.map(({ name }) => name),
]

/** The last characters of a saved secret. Undefined if none is saved. */
function findSecretHint(channel: Channel | undefined, { name }: ChannelFieldInfo): string | undefined {
  const hint = channel?.[`${name}_hint` as keyof Channel]
  return typeof hint === 'string' ? hint : undefined
}

export function ChannelFields({ type, form, errorsFor, channel }: ChannelFieldsProps) {
  const { values, set } = form
  const { steps, fields, hasHeaders } = channelTypeInfo[type]
  const mustReenter = hasNewDestination(channel, values)
  const toControl = (field: ChannelFieldInfo) => ({
    value: getFieldText(type, values, field),
    onValue: (text: string) => set('fields', setFieldText(type, values, field.name, text)),
    errors: errorsFor(field.name),
  })
  return (
    <>
      <TransportNote type={type} />
      {canSend(type) && <GoLiveNotice needs={['url']}>Alerts have no links to Belfry yet.</GoLiveNotice>}
      {steps.length > 0 && channel === undefined && (
        <ol class="channel-steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {fields.map((field) =>
        field.isSecret ? (
          <SecretField
            key={`${type} ${field.name}`}
            field={field}
            savedLastCharacters={findSecretHint(channel, field)}
            mustReenter={mustReenter && !field.isDestination}
            isRemoved={values.removedSecrets.includes(field.name)}
            onRemoved={(isRemoved) =>
              set(
                'removedSecrets',
                isRemoved
                  ? [...values.removedSecrets, field.name]
                  : values.removedSecrets.filter((name) => name !== field.name),
              )
            }
            {...toControl(field)}
          />
        ) : (
          <TextField
            key={`${type} ${field.name}`}
            label={field.label}
            hint={field.hint}
            placeholder={field.placeholder}
            inputMode={field.inputMode}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            {...toControl(field)}
          />
        ),
      )}
      {hasHeaders && (
        <HeaderFields
          legend="Headers (optional)"
          hint="Sent with every request, such as for authentication."
          reentryReason="Belfry sends saved values only to the address they were saved for."
          maxRows={MAX_WEBHOOK_HEADERS}
          rows={values.headers}
          errors={errorsFor('headers') ?? []}
          mustReenter={mustReenter}
          onRows={(headers) => set('headers', headers)}
        />
      )}
      <TextField
        label="Name (optional)"
        hint="Shown in lists, for example “Night shift”"
        errors={errorsFor('name')}
        value={values.name}
        onValue={(name) => set('name', name)}
        autocomplete="off"
      />
      <CheckField
        label="Assign to every new monitor"
        hint="Existing monitors aren't affected."
        errors={errorsFor('assign_by_default')}
        isSwitch
        checked={values.assign_by_default}
        onValue={(isDefault) => set('assign_by_default', isDefault)}
      />
    </>
  )
}
