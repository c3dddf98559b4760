# active_record_app.rb LEVEL -- ActiveRecord reads an account in two threads and
# saves it in both.
require "active_record"

ActiveRecord::Base.establish_connection(ENV["DATABASE_URL"])
class Account < ActiveRecord::Base
  self.table_name = "account"
end
level = ARGV[0].gsub(" ", "_").to_sym
threads = [1, 10].map do |n|
  Thread.new do
    (1..3).each do |id|
      begin
        Account.transaction(isolation: level) do
          account = Account.find(id)
          sleep 0.2 # both have read
          Account.transaction(requires_new: true) do
            account.update!(balance: account.balance + n)
          end
        end
      rescue ActiveRecord::SerializationFailure
      end
    end
    Account.connection_pool.release_connection
  end
end
threads.each(&:join)
