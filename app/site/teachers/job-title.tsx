/** A job title in its one or two lines. */
export const Puesto = ({ puesto, className }: { puesto: string[]; className?: string | undefined }) => (
  <p className={className}>
    {puesto.flatMap((renglon, index) => (index === 0 ? [renglon] : [' ', <br key={renglon} />, renglon]))}
  </p>
)
