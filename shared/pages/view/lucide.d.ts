declare module "lucide-static/dist/esm/icons/*.mjs" {
  /** The icon as SVG. */
  const icon: string;
  export default icon;
}
