/** An email address that breaks before its @ where it does not fit a line. */
export function EmailAddress({ correo }: { correo: string }) {
  const at = correo.lastIndexOf('@')
  return (
    <>
      {correo.slice(0, at)}
      <wbr />
      {correo.slice(at)}
    </>
  )
}
