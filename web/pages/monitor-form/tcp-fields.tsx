import { TextField } from '../../components/field.tsx'
import type { MonitorSectionProps } from './fields.ts'

/** Both fields are optional. If they are empty, an accepted connection is enough. */
export function TcpFields({ form: { values, set }, errorsFor }: MonitorSectionProps) {
  const getProps = (name: 'send' | 'expect') => ({
    value: values[name],
    onValue: (text: string) => set(name, text),
    errors: errorsFor(`tcp.${name}`),
    autocomplete: 'off',
    autocapitalize: 'none' as const,
    spellcheck: false,
  })
  return (
    <div class="form-pair">
      <TextField
        {...getProps('send')}
        label="Text to send"
        hint={
          <>
            Optional. Write line breaks as <code>\r\n</code>.
          </>
        }
        placeholder="PING\r\n"
      />
      <TextField
        {...getProps('expect')}
        label="Expected text"
        hint="Optional. The server must send this text. If empty, a connection is enough."
        placeholder="+PONG"
      />
    </div>
  )
}
