/** What is asked of a web address, and which answer is fine. */

import { httpDefaults, httpMethods, MAX_REDIRECTS } from '../../../src/shared/monitors.ts'
import { CheckField, SelectField, TextAreaField, TextField } from '../../components/field.tsx'
import type { PartProps } from './fields.ts'
import { HeaderRows } from './header-rows.tsx'
import type { Look } from './values.ts'

const looks: { value: Look; label: string }[] = [
  { value: 'none', label: 'Do not look at the text' },
  { value: 'present', label: 'This text must appear' },
  { value: 'absent', label: 'This text must not appear' },
]

export function HttpSettings({ form, errorsOf }: PartProps) {
  const { values, set } = form
  const hasBody = values.body !== '' || !['GET', 'HEAD'].includes(values.method)
  return (
    <>
      <h3>Request</h3>
      <SelectField
        label="Method"
        hint="GET asks for the page. HEAD asks without the text, which is less to send."
        errors={errorsOf('http.method')}
        value={values.method}
        choices={httpMethods.map((method) => ({ value: method, label: method }))}
        onValue={(method) => set('method', method)}
      />
      <HeaderRows
        rows={values.headers}
        errors={errorsOf('http.headers')}
        onRows={(headers) => set('headers', headers)}
      />
      {hasBody && (
        <TextAreaField
          label="Body"
          hint="Sent as it is. Say what it is by a header, such as Content-Type: application/json."
          errors={errorsOf('http.body')}
          value={values.body}
          onValue={(body) => set('body', body)}
          spellcheck={false}
        />
      )}
      <CheckField
        label="Follow redirects"
        hint={`Up to ${MAX_REDIRECTS}. If off, the first response counts.`}
        errors={errorsOf('http.follow_redirects')}
        checked={values.follow_redirects}
        onValue={(follow) => set('follow_redirects', follow)}
      />
      <CheckField
        label="The certificate must be valid"
        hint={values.verify_tls ? 'It fails where the certificate is expired or for another name.' : undefined}
        errors={errorsOf('http.verify_tls')}
        checked={values.verify_tls}
        onValue={(verify) => set('verify_tls', verify)}
      />
      {!values.verify_tls && (
        <div class="notice notice-warn" role="status">
          Any certificate is taken now: an expired one, or one of somebody who listens in. Headers that you set could be
          read by them.
        </div>
      )}
      <h3>Answer</h3>
      <TextField
        label="Expected status"
        hint="Statuses and ranges with commas between, such as 200-299,301."
        errors={errorsOf('http.expected_status')}
        value={values.expected_status}
        onValue={(status) => set('expected_status', status)}
        placeholder={httpDefaults.expected_status}
        autocomplete="off"
      />
      <div class="form-pair">
        <SelectField
          label="Text of the answer"
          value={values.look}
          choices={looks}
          onValue={(look) => set('look', look)}
        />
        {values.look !== 'none' && (
          <TextField
            label="Text to look for"
            hint="Upper and lower case matter. Looked for in the first 1 MiB."
            errors={[...errorsOf('http.keyword'), ...errorsOf('http.keyword_absent')]}
            value={values.keyword}
            onValue={(keyword) => set('keyword', keyword)}
            autocomplete="off"
          />
        )}
      </div>
    </>
  )
}
