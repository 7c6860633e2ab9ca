// The person's tool.

@main
enum SyncCtl {
    static func main() {}
}
