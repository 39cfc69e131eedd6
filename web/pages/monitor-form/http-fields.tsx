/** The fields for the HTTP request to send, and for the response to expect. */
import { httpDefaults, httpMethods, MAX_REDIRECTS, MAX_REQUEST_HEADERS } from '../../../src/shared/monitors.ts'
import { CheckField, SelectField, TextAreaField, TextField } from '../../components/field.tsx'
import { HeaderFields } from '../../components/header-fields.tsx'
import { Notice } from '../../components/notice.tsx'
import type { MonitorSectionProps } from './fields.ts'
import { JsonFields } from './json-fields.tsx'
import type { TextRule } from './values.ts'

const textRules: { value: TextRule; label: string }[] = [
  { value: 'none', label: "Don't check" },
  { value: 'present', label: 'Must contain' },
  { value: 'absent', label: 'Must not contain' },
]

export function HttpFields({ form, errorsFor, mustReenterHeaders }: MonitorSectionProps) {
  const { values, set } = form
  const hasBody = values.body !== '' || !['GET', 'HEAD'].includes(values.method)
  return (
    <>
      <h3>Request</h3>
      <SelectField
        label="Method"
        hint="With HEAD, the server sends only headers and no content, which saves bandwidth."
        errors={errorsFor('http.method')}
        value={values.method}
        choices={httpMethods.map((method) => ({ value: method, label: method }))}
        onValue={(method) => set('method', method)}
      />
      <HeaderFields
        hint="Sent with every check, such as for authentication."
        reentryReason="Saved values may be secrets, so Belfry doesn't send them to another server, or to one whose certificate isn't verified."
        maxRows={MAX_REQUEST_HEADERS}
        rows={values.headers}
        errors={errorsFor('http.headers')}
        mustReenter={mustReenterHeaders}
        onRows={(headers) => set('headers', headers)}
      />
      {hasBody && (
        <TextAreaField
          label="Body"
          hint="Belfry sends this text as is. Set its type with a header, such as Content-Type: application/json."
          errors={errorsFor('http.body')}
          value={values.body}
          onValue={(body) => set('body', body)}
          spellcheck={false}
        />
      )}
      <CheckField
        label="Follow redirects"
        hint={`Follows up to ${MAX_REDIRECTS} redirects. When off, the redirect itself is checked as the response.`}
        errors={errorsFor('http.follow_redirects')}
        isSwitch
        checked={values.follow_redirects}
        onValue={(follow) => set('follow_redirects', follow)}
      />
      <CheckField
        label="Verify TLS certificate"
        hint={
          values.verify_tls ? 'The check fails if the certificate has expired or belongs to another host.' : undefined
        }
        errors={errorsFor('http.verify_tls')}
        isSwitch
        checked={values.verify_tls}
        onValue={(verify) => set('verify_tls', verify)}
      />
      {!values.verify_tls && (
        <Notice tone="warn" role="status">
          Any certificate is accepted, even an expired or forged one. Someone who intercepts the connection could read
          the headers you send.
        </Notice>
      )}
      <h3>Response</h3>
      <TextField
        label="Expected status codes"
        hint="Codes and ranges, separated by commas, such as 200-299,301"
        errors={errorsFor('http.expected_status')}
        value={values.expected_status}
        onValue={(status) => set('expected_status', status)}
        placeholder={httpDefaults.expected_status}
        autocomplete="off"
      />
      <div class="form-pair">
        <SelectField
          label="Response text"
          value={values.textRule}
          choices={textRules}
          onValue={(rule) => set('textRule', rule)}
        />
        {values.textRule !== 'none' && (
          <TextField
            label="Text"
            hint="Case-sensitive. Only the first 1 MiB of the response is searched."
            errors={[...errorsFor('http.keyword'), ...errorsFor('http.keyword_absent')]}
            value={values.keyword}
            onValue={(keyword) => set('keyword', keyword)}
            autocomplete="off"
          />
        )}
      </div>
      <JsonFields
        rows={values.json}
        errors={errorsFor('http.json')}
        errorsOf={(part) => errorsFor(`http.json.${part}`)}
        onRows={(rows) => set('json', rows)}
      />
      <TextField
        label="Maximum response time in milliseconds"
        hint="Optional. A slower response counts as a failure. Must not exceed the timeout."
        errors={errorsFor('http.max_response_ms')}
        value={values.max_response_ms}
        onValue={(limit) => set('max_response_ms', limit)}
        placeholder="No limit"
        inputMode="numeric"
        autocomplete="off"
      />
    </>
  )
}
