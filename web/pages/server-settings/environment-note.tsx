/** Says that a setting can't be changed on this page, and where it can. */
export function EnvironmentNote({ variables }: { variables: readonly string[] }) {
  return (
    <p class="small muted">
      Set by{' '}
      {variables.map((name, index) => (
        <span key={name}>
          {index > 0 && ' and '}
          <code>{name}</code>
        </span>
      ))}{' '}
      in the environment or the configuration file of the server. To change it, change it there and restart Belfry.
    </p>
  )
}
