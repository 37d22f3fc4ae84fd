export const handle = { ahead: true }

export function loader() {
  return { hola: 'Señorita Azahares' }
}
export default function Inicio({ loaderData }: { loaderData: { hola: string } }) {
  return <h1>{loaderData.hola}</h1>
}
