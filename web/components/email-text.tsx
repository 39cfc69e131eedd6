import { Fragment } from 'preact'

/** A long address breaks after its @ and before a dot, rather than in the middle of a word. */
export function EmailText({ email }: { email: string }) {
  return (
    <>
      {email.split(/(?<=@)|(?=\.)/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  )
}
