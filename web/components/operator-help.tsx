import { CodeLine } from './copy-button.tsx'

interface OperatorHelpProps {
  question: string
  answer: string
  /** What the operator runs on the server. */
  command: string
}

/** For people who can't sign in any more without somebody who has access to the server. */
export function OperatorHelp({ question, answer, command }: OperatorHelpProps) {
  return (
    <details class="small">
      <summary class="clickable muted">{question}</summary>
      <div class="stack">
        <p class="muted">{answer}</p>
        <CodeLine text={command} />
      </div>
    </details>
  )
}
