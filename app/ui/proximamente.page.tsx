export default function Proximamente() {
  return <h1>Próximamente</h1>
}
